// The clouds' own libraries send their requests for credentials by the service's fetch, and so through its proxies.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { OutgoingFetch } from "../../src/ports/outgoing-fetch.ts";
import type { HostType, HostSettings } from "../../src/providers/host.ts";
import { familyOf } from "../support/family-of.ts";
import { HOST_SERVICES } from "../support/host-services.ts";
import { setVariables } from "./anthropic/aws-credential-service.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-clouds-"));
const START = "https://team.awsapps.com/start";
mkdirSync(join(folder, ".aws/sso/cache"), { recursive: true });
writeFileSync(
  join(folder, ".aws/config"),
  `[profile team]\nsso_start_url = ${START}\nsso_region = us-east-1\nsso_account_id = 123456789012\nsso_role_name = a role\n`,
);
writeFileSync(
  join(folder, ".aws/sso/cache", `${createHash("sha1").update(START).digest("hex")}.json`),
  JSON.stringify({ accessToken: "sso-token", expiresAt: "2999-01-01T00:00:00Z", startUrl: START, region: "us-east-1" }),
);
writeFileSync(join(folder, "token"), "token-of-a-pod");
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const private_key = privateKey.export({ type: "pkcs8", format: "pem" });
writeFileSync(
  join(folder, "account.json"),
  JSON.stringify({ type: "service_account", client_email: "a@b.iam.gserviceaccount.com", private_key }),
);
const ROLE = "arn:aws:iam::123456789012:role/gateway";
const resetVariables = setVariables({
  HOME: folder,
  AWS_CONFIG_FILE: join(folder, ".aws/config"),
  AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "token"),
  AWS_ROLE_ARN: ROLE,
  AWS_ACCESS_KEY_ID: "AKIASTATIC",
  AWS_SECRET_ACCESS_KEY: "static-secret",
  // What the libraries would take by themselves.
  HTTPS_PROXY: "http://127.0.0.1:1",
  HTTP_PROXY: "http://127.0.0.1:1",
});
after(() => {
  resetVariables();
  rmSync(folder, { recursive: true });
});

/** A reply; Google's have the header of its metadata servers. */
const json = (value: object) =>
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json", "metadata-flavor": "Google" } });

/** What the credential services of the clouds reply, by the beginning of the address. */
const REPLIES: Readonly<Record<string, (body: string) => Response>> = {
  "https://sts.eu-central-1.amazonaws.com/": (body) => {
    const action = /Action=(\w+)/.exec(body)?.[1];
    const keys =
      "<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>";
    return new Response(
      `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>${keys}</Credentials></${action}Result></${action}Response>`,
      { headers: { "content-type": "text/xml" } },
    );
  },
  "https://portal.sso.us-east-1.amazonaws.com/federation/credentials?": () =>
    json({ roleCredentials: { accessKeyId: "ASIASSO", secretAccessKey: "s", sessionToken: "t", expiration: 4e12 } }),
  "https://login.microsoftonline.com/common/discovery/instance?": () =>
    json({
      tenant_discovery_endpoint: "https://login.microsoftonline.com/team/v2.0/.well-known/openid-configuration",
      "api-version": "1.1",
      metadata: [],
    }),
  "https://login.microsoftonline.com/team/v2.0/.well-known/openid-configuration": () =>
    json({
      authorization_endpoint: "https://login.microsoftonline.com/team/oauth2/v2.0/authorize",
      token_endpoint: "https://login.microsoftonline.com/team/oauth2/v2.0/token",
      issuer: "https://login.microsoftonline.com/team/v2.0",
      jwks_uri: "https://login.microsoftonline.com/team/discovery/v2.0/keys",
    }),
  "https://login.microsoftonline.com/team/oauth2/v2.0/token": () =>
    json({ access_token: "entra-token", expires_in: 3599, token_type: "Bearer" }),
  "http://169.254.169.254/metadata/identity/oauth2/token": () =>
    json({ access_token: "managed-token", expires_on: "32503680000", resource: "r", token_type: "Bearer" }),
  "https://oauth2.googleapis.com/token": () =>
    json({ access_token: "google-token", expires_in: 3599, token_type: "Bearer" }),
  "http://169.254.169.254/computeMetadata/v1/": () =>
    json({ access_token: "machine-token", expires_in: 3599, token_type: "Bearer" }),
};

/** The headers that a host adds, and the addresses that were asked for them. */
async function authorize(type: string, settings: HostSettings, baseUrl: string | null = null) {
  const asked: string[] = [];
  const fetch: OutgoingFetch = async (url, { method, body }) => {
    asked.push(`${method} ${url}`);
    const text = await new Response(body).text();
    const reply = Object.entries(REPLIES).find(([beginning]) => url.startsWith(beginning))?.[1];
    if (reply === undefined) throw new Error(`nothing replies at ${url}`);
    return reply(text);
  };
  const hostType: HostType = await familyOf(type).hosts![settings.type]!.load();
  const host = hostType.create(
    { name: "it", baseUrl, apiKey: null, hostSettings: settings },
    { ...HOST_SERVICES, fetch },
  );
  const request = { method: "POST", origin: host.baseUrl.origin, path: "/", headers: [], body: "{}" } as const;
  return { added: (await host.authorize?.(request))?.join(" ") ?? "", asked };
}

const bedrock = (more: object) => ({ type: "bedrock", region: "eu-central-1", ...more });
const azure = (more: object) => ({ type: "azure", ...more });
const vertex = (more: object) => ({ type: "vertex", project: "my-project", region: "europe-west1", ...more });
const AT_AZURE = "https://x.openai.azure.com";

test("AWS lends roles, in the region of the provider", async () => {
  const rows = [{ identity: "web_identity" }, { identity: "environment", role_arn: ROLE }];
  for (const row of rows) {
    // oxlint-disable-next-line no-await-in-loop -- the libraries share the environment
    const { added, asked } = await authorize("anthropic", bedrock(row));
    assert.match(added, /Credential=ASIAROLE\//);
    assert.deepEqual(asked, ["POST https://sts.eu-central-1.amazonaws.com/"]);
  }
});

test("AWS's single sign-on is asked in its own region", async () => {
  const { added, asked } = await authorize("anthropic", bedrock({ identity: "profile", profile: "team" }));
  assert.match(added, /Credential=ASIASSO\/\d{8}\/eu-central-1\//);
  assert.deepEqual(asked, [
    "GET https://portal.sso.us-east-1.amazonaws.com/federation/credentials?role_name=a%20role&account_id=123456789012",
  ]);
});

test("Entra gives tokens to applications and machines", async () => {
  const secret = { tenant_id: "team", client_id: "app", client_secret: "secret" };
  const application = await authorize("openai", azure(secret), AT_AZURE);
  assert.equal(application.added, "authorization Bearer entra-token");
  assert.match(
    application.asked.at(-1) ?? "",
    /^POST https:\/\/login\.microsoftonline\.com\/team\/oauth2\/v2\.0\/token/,
  );
  const machine = await authorize("openai", azure({ identity: "managed" }), AT_AZURE);
  assert.equal(machine.added, "authorization Bearer managed-token");
  assert.match(machine.asked.at(-1) ?? "", /^GET http:\/\/169\.254\.169\.254\/metadata\/identity\/oauth2\/token\?/);
});

test("Google gives tokens to service accounts and machines", async () => {
  const account = await authorize("gemini", vertex({ credentials_file: join(folder, "account.json") }));
  assert.equal(account.added, "authorization Bearer google-token");
  assert.deepEqual(account.asked, ["POST https://oauth2.googleapis.com/token"]);
  const machine = await authorize("gemini", vertex({ identity: "default" }));
  assert.match(machine.added, /^authorization Bearer machine-token/);
  assert.ok(machine.asked.length > 0);
});
