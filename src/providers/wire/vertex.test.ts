// Which of Google's credentials are asked for a token, and what is sent of them. The library is a stand-in here:
// test/providers/vertex.test.ts has the real one.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { HOST_SERVICES } from "../../../test/support/host-services.ts";
import { onVertex } from "./vertex.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-google-"));
after(() => rmSync(folder, { recursive: true }));
const kind = onVertex({ publisher: "google", version: "v1", query: "alt=sse", changes: {} });

interface Options {
  /** How requests are sent. */
  readonly transporterOptions?: object;
  readonly clientOptions?: object;
}

/** A host with these settings, and what the library was asked for. */
function open(settings: Readonly<Record<string, string>>, quotaProjectId?: string) {
  const made: unknown[] = [];
  const client = { getAccessToken: async () => ({ token: "t" }), credentials: {}, quotaProjectId };
  const library = {
    gaxios: { instance: {} },
    JWT: function JWT({ transporterOptions, ...options }: Options) {
      assert.ok(transporterOptions !== undefined);
      made.push(["JWT", options]);
      return client;
    },
    GoogleAuth: function GoogleAuth({ clientOptions, ...options }: Options) {
      assert.ok(clientOptions !== undefined);
      made.push(["GoogleAuth", options]);
      return { getClient: async () => client };
    },
  };
  const host = kind.create(
    {
      name: "it",
      baseUrl: null,
      apiKey: null,
      hostSettings: { type: "vertex", project: "my-project", region: "europe-west1", ...settings },
    },
    { ...HOST_SERVICES, clock: new FakeClock(), loadLibrary: async () => library },
  );
  const authorize = () => host.authorize?.({ method: "POST", origin: "", path: "", headers: [], body: "" });
  return { host, made, authorize };
}

const SCOPES = { scopes: "https://www.googleapis.com/auth/cloud-platform" };

test("a service account is asked by its own class, any other file by the library's choice", async () => {
  const account = join(folder, "account.json");
  writeFileSync(account, '{"type":"service_account","client_email":"a@b","private_key":"KEY"}');
  const one = open({ credentials_file: account });
  assert.deepEqual(await one.authorize(), ["authorization", "Bearer t"]);
  assert.deepEqual(one.made, [["JWT", { email: "a@b", key: "KEY", ...SCOPES }]]);
  const workload = join(folder, "workload.json");
  writeFileSync(workload, '{"type":"external_account"}');
  const other = open({ credentials_file: workload });
  await other.authorize();
  assert.deepEqual(other.made, [["GoogleAuth", { ...SCOPES, projectId: "my-project", keyFilename: workload }]]);
});

test("without a file the library finds the credentials; a login names the project that pays", async () => {
  const { made, authorize } = open({ identity: "default" }, "paying-project");
  const expected = ["authorization", "Bearer t", "x-goog-user-project", "paying-project"];
  assert.deepEqual(await authorize(), expected);
  // The library says no end of the token.
  assert.deepEqual(await authorize(), expected);
  assert.deepEqual(made[0], ["GoogleAuth", { ...SCOPES, projectId: "my-project" }]);
});

test("a region and a project that Google does not know are named", () => {
  const { faultOf } = open({}).host.check;
  const said = (status: string, reason: string) =>
    JSON.stringify({ error: { code: 403, status, details: [{ "@type": "t/google.rpc.ErrorInfo", reason }] } });
  assert.equal(faultOf?.(404, "<html>"), "knows no region europe-west1");
  assert.equal(
    faultOf?.(403, said("PERMISSION_DENIED", "SERVICE_DISABLED")),
    "says that the Vertex AI API is not enabled in my-project",
  );
  assert.match(String(faultOf?.(403, said("PERMISSION_DENIED", "IAM"))), /^gives no access to the project my-project/);
  assert.equal(faultOf?.(401, said("UNAUTHENTICATED", "x")), null);
  assert.equal(faultOf?.(200, "{}"), null);
});

test("each region has its address, and the path names project and region", () => {
  const addresses = ["global", "us", "eu", "europe-west1"].map((region) => open({ region }).host.baseUrl.href);
  assert.deepEqual(addresses, [
    "https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/google/models?alt=sse",
    "https://aiplatform.us.rep.googleapis.com/v1/projects/my-project/locations/us/publishers/google/models?alt=sse",
    "https://aiplatform.eu.rep.googleapis.com/v1/projects/my-project/locations/eu/publishers/google/models?alt=sse",
    "https://europe-west1-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west1/publishers/google/models?alt=sse",
  ]);
});
