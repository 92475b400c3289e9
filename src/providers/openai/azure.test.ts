// Which of Entra's credentials are asked for a token, and for what. The library is a stand-in here:
// test/providers/openai/azure.test.ts has the real one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { HOST_SERVICES } from "../../../test/support/host-services.ts";
import { AZURE } from "./azure.ts";

const CLASSES = [
  "ClientSecretCredential",
  "DefaultAzureCredential",
  "ManagedIdentityCredential",
  "WorkloadIdentityCredential",
];

/** The options without the client that sends their requests. */
function withoutClient(given: unknown): unknown {
  if (typeof given !== "object") return given;
  const { httpClient, ...options } = given as { readonly httpClient?: object };
  assert.ok(httpClient !== undefined);
  return options;
}

/** The class that settings lead to, what it is made with, and what the token is asked for. */
async function askedOf(settings: Readonly<Record<string, string>>) {
  const clock = new FakeClock();
  const asked: unknown[] = [];
  const library = Object.fromEntries(
    CLASSES.map((name) => [
      name,
      function Credential(...given: unknown[]) {
        asked.push(name, ...given.map(withoutClient));
        const getToken = async (scope: string) => {
          asked.push(scope);
          return { token: "t", expiresOnTimestamp: clock.nowMs() + 3_600_000 };
        };
        return { getToken };
      },
    ]),
  );
  const entry = { name: "it", baseUrl: "https://x.openai.azure.com", apiKey: null };
  const host = AZURE.create(
    { ...entry, hostSettings: { type: "azure", ...settings } },
    { clock, loadLibrary: async () => library, fetch: () => assert.fail("the library is a stand-in") },
  );
  const added = await host.authorize?.({ method: "POST", origin: "", path: "", headers: [], body: "" });
  assert.deepEqual(added, ["authorization", "Bearer t"]);
  return asked;
}

const SCOPE = "https://ai.azure.com/.default";

test("each identity is asked by its own class", async () => {
  assert.deepEqual(await askedOf({ tenant_id: "t", client_id: "c", client_secret: "s" }), [
    "ClientSecretCredential",
    "t",
    "c",
    "s",
    {},
    SCOPE,
  ]);
  assert.deepEqual(await askedOf({ identity: "managed" }), ["ManagedIdentityCredential", {}, SCOPE]);
  assert.deepEqual(await askedOf({ identity: "managed", client_id: "c" }), [
    "ManagedIdentityCredential",
    { clientId: "c" },
    SCOPE,
  ]);
  assert.deepEqual(await askedOf({ identity: "workload", tenant_id: "t" }), [
    "WorkloadIdentityCredential",
    { tenantId: "t" },
    SCOPE,
  ]);
  assert.deepEqual(await askedOf({ identity: "default", client_id: "c" }), [
    "DefaultAzureCredential",
    { managedIdentityClientId: "c", workloadIdentityClientId: "c" },
    SCOPE,
  ]);
});

test("another cloud has its own scope", async () => {
  const scope = "https://cognitiveservices.azure.us/.default";
  assert.equal((await askedOf({ identity: "managed", scope })).at(-1), scope);
});

test("the address of a resource, with or without the path of the API, is that of the v1 API", () => {
  const addressOf = (baseUrl: string) =>
    AZURE.create(
      { name: "it", baseUrl, apiKey: "k", hostSettings: { type: "azure" } },
      { ...HOST_SERVICES, loadLibrary: () => assert.fail("a key needs no library") },
    ).baseUrl.href;
  for (const path of ["", "/", "/openai", "/openai/", "/openai/v1"]) {
    assert.equal(addressOf(`https://x.openai.azure.com${path}`), "https://x.openai.azure.com/openai/v1", path);
  }
  assert.equal(
    addressOf("https://x.openai.azure.com?api-version=preview"),
    "https://x.openai.azure.com/openai/v1?api-version=preview",
  );
  assert.equal(addressOf("https://gateway.example/azure/openai/v1"), "https://gateway.example/azure/openai/v1");
});
