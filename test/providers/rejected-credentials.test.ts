// The whole service on hosts that no longer take the credentials they gave before: a revoked role, a key of Entra's that is rolled.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { createProviderRegistry } from "../../src/providers/registry.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { createIds } from "../../src/system/ids.ts";
import { assertApiError } from "../support/assert-api-error.ts";
import { familyOf } from "../support/family-of.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { startMetadataServer, VERTEX_PLACE, vertexWire } from "../support/fake-vertex.ts";
import { HOST_SERVICES } from "../support/host-services.ts";
import { testModel } from "../support/service-config.ts";
import { TestService } from "../support/service.ts";
import { setVariables, startCredentialService } from "./anthropic/aws-credential-service.ts";
import { type AwsKeys, bedrockWire, REGION } from "./anthropic/bedrock-server.ts";
import { azureWire, startIdentityEndpoint } from "./openai/azure-server.ts";

/** Tokens that the hosts take; the newest is the last. */
const valid = new Set<string>();
let tokens = 0;
/** Whether the hosts take what is given. */
let isGranted = true;
function nextToken(): string {
  const token = `token-${++tokens}`;
  if (isGranted) valid.add(token);
  return token;
}
const keys = new Map<string, AwsKeys>();
const hosts = {
  azure: await FakeProvider.start(azureWire((token) => valid.has(token))),
  bedrock: await FakeProvider.start(bedrockWire((id) => keys.get(id))),
  vertex: await FakeProvider.start(vertexWire((token) => valid.has(token))),
};
const identity = await startIdentityEndpoint((response) => {
  const expires_on = String(Math.floor(Date.now() / 1000) + 8 * 3600);
  response.end(JSON.stringify({ access_token: nextToken(), expires_on, resource: "r", token_type: "Bearer" }));
});
const aws = await startCredentialService((given) => {
  tokens++;
  if (isGranted) keys.set(given.accessKeyId, given);
});
const metadata = await startMetadataServer(() => ({ token: nextToken(), seconds: 3599 }));
const resetVariables = setVariables({
  IDENTITY_ENDPOINT: identity.url,
  IDENTITY_HEADER: "identity-header",
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
  GCE_METADATA_HOST: metadata.host,
});

let aheadMs = 0;
const clock = { ...createSystemClock(), nowMs: () => Date.now() + aheadMs };
const at = (name: keyof typeof hosts) => ({ name, baseUrl: hosts[name].baseUrl, apiKey: null });
const entries = [
  { ...at("azure"), family: familyOf("openai"), hostSettings: { type: "azure", identity: "managed" } },
  {
    ...at("bedrock"),
    family: familyOf("anthropic"),
    hostSettings: { type: "bedrock", region: REGION, identity: "container" },
  },
  {
    ...at("vertex"),
    family: familyOf("gemini"),
    hostSettings: { type: "vertex", identity: "default", ...VERTEX_PLACE },
  },
];
const UPSTREAM = { azure: "gpt-eu", bedrock: "eu.anthropic.claude-haiku-5-5", vertex: "gemini-3.8-flash" } as const;
const providers = await createProviderRegistry(entries, { ...HOST_SERVICES, clock, ids: createIds() });
const names = Object.keys(UPSTREAM) as (keyof typeof UPSTREAM)[];
const service = await TestService.start({
  providers,
  models: names.map((provider) => testModel(`${provider}/one`, { provider, upstreamModel: UPSTREAM[provider] })),
});
after(async () => {
  resetVariables();
  await service.close();
  await providers.close();
  await Promise.all([...Object.values(hosts), identity, aws, metadata].map((one) => one.close()));
});

/** All that was given is revoked; later than the pause after which it is asked for again. */
function revoke(): void {
  valid.clear();
  keys.clear();
  aheadMs += 31_000;
}
beforeEach(() => {
  isGranted = true;
  revoke();
});

for (const name of names) {
  const create = () => service.create({ model: `${name}/one`, input: "Hi" });

  test(`turns on ${name} with revoked credentials ask once for others, and are sent again`, async () => {
    assert.equal((await create()).json.status, "completed");
    revoke();
    const [asked, sent] = [tokens, hosts[name].calls.length];
    for (const { json, text } of await Promise.all([create(), create()])) assert.equal(json.status, "completed", text);
    assert.deepEqual([tokens - asked, hosts[name].calls.length - sent], [1, 4]);
  });

  test(`credentials that ${name} rejects again fail the turn, and the next one does not ask for others at once`, async () => {
    assert.equal((await create()).json.status, "completed");
    revoke();
    isGranted = false;
    const [asked, sent] = [tokens, hosts[name].calls.length];
    for (let turn = 0; turn < 2; turn++) {
      // oxlint-disable-next-line no-await-in-loop -- one turn after the other
      assertApiError(await create(), { status: 502, code: "provider_unavailable", param: null });
    }
    assert.deepEqual([tokens - asked, hosts[name].calls.length - sent], [1, 3]);
  });
}
