// The whole service with models that Bedrock hosts. The fake region rejects what the real one rejects.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { askProviders } from "../../../src/providers/ask-providers.ts";
import type { HostSettings } from "../../../src/providers/host.ts";
import { NO_PROXIES } from "../../../src/providers/wire/proxies.ts";
import { createSystemClock } from "../../../src/system/clock.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { familyOf } from "../../support/family-of.ts";
import { FakeProvider } from "../../support/fake-provider.ts";
import { HOST_SERVICES } from "../../support/host-services.ts";
import type { Loose, Reply } from "../../support/http-client.ts";
import { patiently } from "../../support/patiently.ts";
import { openProviders } from "../../support/provider-registry.ts";
import { testModel } from "../../support/service-config.ts";
import { TestService } from "../../support/service.ts";
import { callsOf, TOOLS, textsOf } from "../service-on-fake.ts";
import { type AwsKeys, BEDROCK_KEY, bedrockWire, REGION } from "./bedrock-server.ts";
import { setVariables, startCredentialService } from "./aws-credential-service.ts";

const known = new Map<string, AwsKeys>();
const remember = (keys: AwsKeys) => known.set(keys.accessKeyId, keys);
const bedrock = await FakeProvider.start(bedrockWire((id) => known.get(id)));
const credentials = await startCredentialService(remember);
const STATIC = { accessKeyId: "AKIASTATIC", secretAccessKey: "static-secret-key-1" };
remember(STATIC);
const PROFILE = { accessKeyId: "AKIAPROFILE", secretAccessKey: "profile-secret-key-1" };
remember(PROFILE);
const role_arn = "arn:aws:iam::123456789012:role/gateway";
const folder = mkdtempSync(join(tmpdir(), "turngate-aws-"));
const { accessKeyId, secretAccessKey } = PROFILE;
writeFileSync(
  join(folder, "credentials"),
  `[team]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
);
writeFileSync(join(folder, "token"), "token-of-a-pod");
const resetVariables = setVariables({
  AWS_SHARED_CREDENTIALS_FILE: join(folder, "credentials"),
  AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, "token"),
  AWS_ROLE_ARN: role_arn,
  AWS_ACCESS_KEY_ID: STATIC.accessKeyId,
  AWS_SECRET_ACCESS_KEY: STATIC.secretAccessKey,
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${credentials.url}/container`,
  AWS_ENDPOINT_URL_STS: credentials.url,
  AWS_EC2_METADATA_SERVICE_ENDPOINT: credentials.url,
});

const hostSettings = (more: object = {}): HostSettings => ({ type: "bedrock", region: REGION, ...more });
const region = { family: familyOf("anthropic"), baseUrl: bedrock.baseUrl, apiKey: null };
const entries = [
  { name: "keyed", ...region, apiKey: BEDROCK_KEY, hostSettings: hostSettings() },
  { name: "wrong-key", ...region, apiKey: "another-key-12345", hostSettings: hostSettings() },
  { name: "static", ...region, hostSettings: hostSettings({ identity: "environment" }) },
  { name: "default", ...region, hostSettings: hostSettings({ identity: "default" }) },
  { name: "container", ...region, hostSettings: hostSettings({ identity: "container" }) },
  { name: "instance", ...region, hostSettings: hostSettings({ identity: "instance" }) },
  { name: "profile", ...region, hostSettings: hostSettings({ identity: "profile", profile: "team" }) },
  { name: "pod", ...region, hostSettings: hostSettings({ identity: "web_identity" }) },
  { name: "role", ...region, hostSettings: hostSettings({ identity: "environment", role_arn }) },
  { name: "other-region", ...region, hostSettings: hostSettings({ region: "us-east-1", identity: "environment" }) },
];
const MODELS = [
  "eu.anthropic.claude-opus-5-5",
  "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-haiku-5-5",
  "anthropic.claude-sonnet-4-5-20250929-v1:0",
  "claude-nowhere",
];
const OPUS = "eu.anthropic.claude-opus-5-5";
/** It takes no strict tools there. */
const SONNET = "eu.anthropic.claude-sonnet-5";
const modelOf = (provider: string, upstreamModel: string) =>
  testModel(`${provider}/${upstreamModel}`, {
    provider,
    upstreamModel,
    thinking: { effort: "medium" },
    forcedToolChoice: false,
    defaultOutputTokens: 8000,
  });
const providers = await openProviders(entries);
const service = await TestService.start({
  providers,
  models: [
    ...entries.flatMap(({ name }) => MODELS.map((upstreamModel) => modelOf(name, upstreamModel))),
    { ...modelOf("keyed", SONNET), id: "keyed/strict" },
    { ...modelOf("keyed", SONNET), id: "keyed/plain", takesStrictTools: false },
  ],
});
after(async () => {
  resetVariables();
  rmSync(folder, { recursive: true });
  await service.close();
  await providers.close();
  await bedrock.close();
  await credentials.close();
});

const create = (provider: string, input: unknown, more: object = {}) =>
  service.create({ model: `${provider}/${OPUS}`, input, ...more });
const lastCall = () => bedrock.calls.at(-1)!;

function assertCompleted(reply: Reply): Loose {
  assert.equal(reply.json?.status, "completed", `${reply.text} ${lastCall().error}`);
  return reply.json;
}

test("a turn with a key: the model in the path, version and betas in the body, usage as at Anthropic", async () => {
  const reply = await create("keyed", "/usage input=100 cached=40 output=7 reasoning=3\nHi");
  const json = assertCompleted(reply);
  assert.deepEqual(textsOf(reply), ["Hi"]);
  assert.deepEqual(
    [json.usage.input_tokens, json.usage.input_tokens_details.cached_tokens, json.usage.output_tokens],
    [100, 40, 7],
  );
  const { headers, body } = lastCall();
  assert.equal(headers.authorization, `Bearer ${BEDROCK_KEY}`);
  assert.deepEqual(
    [headers["x-api-key"], headers["anthropic-version"], headers["anthropic-beta"], headers["x-amz-date"]],
    [undefined, undefined, undefined, undefined],
  );
  const { anthropic_version, anthropic_beta, model, stream, thinking } = body;
  assert.deepEqual([anthropic_version, model, stream], ["bedrock-2023-05-31", undefined, undefined]);
  assert.deepEqual(anthropic_beta, ["thinking-binding-controls-2026-08-01"]);
  assert.deepEqual(thinking.block_binding, { mismatch_behavior: "drop_block" });
});

/** Whose keys sign for each provider. */
const OWNERS: Readonly<Record<string, string>> = {
  static: "AKIASTATIC",
  default: "AKIASTATIC",
  container: "ASIACONTAINER",
  instance: "ASIAINSTANCE",
  profile: "AKIAPROFILE",
  pod: "ASIAROLE",
  role: "ASIAROLE",
};

test("every identity signs so that the cloud's own library comes to the same signature", async () => {
  for (const provider of Object.keys(OWNERS)) {
    // oxlint-disable-next-line no-await-in-loop -- the calls are told apart by their order
    assertCompleted(await create(provider, "Hi, wörld 🎉"));
    const { headers } = lastCall();
    const owner = OWNERS[provider];
    assert.match(String(headers.authorization), new RegExp(`Credential=${owner}`));
    assert.equal(headers["x-amz-security-token"] !== undefined, owner?.startsWith("ASIA"), provider);
  }
  assert.match(credentials.asked.join("\n"), /Action=AssumeRoleWithWebIdentity&.*WebIdentityToken=token-of-a-pod/);
  assert.match(
    credentials.asked.join("\n"),
    /Action=AssumeRole&.*RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fgateway/,
  );
});

test("an ARN is a model, and so is signed as it is sent", async () => {
  const json = assertCompleted(await service.create({ model: `static/${MODELS[1]}`, input: "Hi" }));
  assert.equal(json.status, "completed");
});

test("a tool call and its output, with thinking that is sent back unchanged", async () => {
  const called = await create("static", '/reason "Look."\n/tool look {"at":"x"}', { tools: TOOLS });
  assertCompleted(called);
  const [call] = callsOf(called);
  const answered = await create("static", [{ type: "function_call_output", call_id: call?.call_id, output: "seen" }], {
    tools: TOOLS,
    previous_response_id: called.json.id,
  });
  assertCompleted(answered);
  const { messages } = lastCall().body;
  assert.deepEqual(
    messages[1].content.map(({ type }: Loose) => type),
    ["thinking", "tool_use"],
  );
  assert.deepEqual(answered.json["svc:warnings"] ?? [], []);
});

test("where a model takes no strict tools, they are sent as plain ones", async () => {
  const strict = (value: boolean) => TOOLS.map((tool) => ({ ...tool, strict: value }));
  const ask = (model: string, value: boolean) =>
    service.create({ model, input: '/tool look {"at":"x"}', tools: strict(value) });
  assertCompleted(await ask("keyed/plain", true));
  assertCompleted(await ask("keyed/strict", false));
  const { json } = await ask("keyed/strict", true);
  assert.deepEqual([json.status, json.error?.code], ["failed", "provider_client_error"]);
});

test("credentials are asked for once for many turns", async () => {
  const before = credentials.asked.length;
  const alone = [{ name: "alone", ...region, hostSettings: hostSettings({ identity: "container" }) }];
  const registry = await openProviders(alone);
  const models = [testModel(`alone/${OPUS}`, { provider: "alone", upstreamModel: OPUS })];
  const own = await TestService.start({ providers: registry, models });
  const turn = () => own.create({ model: `alone/${OPUS}`, input: "Hi" });
  for (const reply of await Promise.all([turn(), turn(), turn()])) assertCompleted(reply);
  assert.equal(credentials.asked.length, before + 1);
  await own.close();
  await registry.close();
});

test("errors of Bedrock have the codes of the interface, and its id of the request", async () => {
  const busy = await create("keyed", "/busy");
  assertApiError(busy, { status: 429, code: "provider_rate_limited" });
  assert.equal(busy.headers["retry-after"], "7");
  for (const provider of ["wrong-key", "other-region"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const rejected = await create(provider, "Hi");
    assertApiError(rejected, { status: 502, code: "provider_unavailable" });
    assert.doesNotMatch(rejected.text, /another-key|AKIA|arn/);
  }
  assertApiError(await create("keyed", "/model-error"), { status: 502, code: "provider_unavailable" });
  assertApiError(await create("keyed", "/long"), { status: 400, code: "context_length_exceeded" });
  const failed = await create("keyed", "/fail provider_client_error");
  assert.equal(failed.json.error.code, "provider_client_error", failed.text);
  assert.equal(failed.json["svc:error"].provider_status, 400);
  assert.match(failed.json["svc:error"].provider_request_id, /^amzn-\d+$/);
  const asked = bedrock.calls.length;
  assertApiError(await patiently(service, create("keyed", "/down")), { status: 502, code: "provider_unavailable" });
  assert.equal(bedrock.calls.length, asked + 3, "a 503 certainly did not run");
});

test("a model that Bedrock does not know, or not under this id, is named", async () => {
  for (const model of MODELS.slice(2)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const reply = await service.create({ model: `keyed/${model}`, input: "Hi" });
    assertApiError(reply, { status: 502, code: "provider_unavailable" });
    assert.match(reply.json.error.message, new RegExp(`does not know the model keyed/${model}`));
  }
});

test("an exception within the stream fails the turn as an error event of Anthropic does", async () => {
  const rows: [string, number, string][] = [
    ["provider_rate_limited", 429, "provider_rate_limited"],
    ["provider_overloaded", 502, "provider_overloaded"],
  ];
  for (const [directive, status, code] of rows) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    assertApiError(await create("keyed", `/say Half\n/fail ${directive}`), { status, code });
  }
  const broken = await create("keyed", "/say Half\n/fail provider_error");
  assert.deepEqual([broken.json.status, broken.json.error.code], ["failed", "provider_error"]);
  assert.match(broken.json["svc:error"].provider_request_id, /^amzn-\d+$/);
});

test("expired or wrong credentials are an unavailable provider, and so is a credential service without any", async () => {
  known.set("AKIASTATIC", { ...STATIC, expiresMs: Date.now() - 1 });
  assertApiError(await create("static", "Hi"), { status: 502, code: "provider_unavailable" });
  known.set("AKIASTATIC", { ...STATIC, secretAccessKey: "another" });
  assertApiError(await create("static", "Hi"), { status: 502, code: "provider_unavailable" });
  assert.match(String(lastCall().error), /signature we calculated does not match/);
  known.set("AKIASTATIC", STATIC);
  credentials.fail();
  const registry = await openProviders([
    { name: "down", ...region, hostSettings: hostSettings({ identity: "environment", role_arn }) },
  ]);
  const own = await TestService.start({
    providers: registry,
    models: [testModel(`down/${OPUS}`, { provider: "down", upstreamModel: OPUS })],
  });
  const reply = await patiently(own, own.create({ model: `down/${OPUS}`, input: "Hi" }));
  assertApiError(reply, { status: 502, code: "provider_unavailable" });
  assert.doesNotMatch(reply.text, /s3cret|static-secret/);
  await own.close();
  await registry.close();
});

test("doctor asks for a free list with the credentials, and says what is wrong with them", async () => {
  const names = ["keyed", "wrong-key", "static", "other-region"];
  const asked = entries.filter(({ name }) => names.includes(name));
  const ask = async () => {
    const found = await askProviders(asked, { ...HOST_SERVICES, clock: createSystemClock(), proxies: NO_PROXIES });
    return found.map(({ name, keys }) => [name, keys[0]?.isOk, keys[0]?.detail]);
  };
  const { origin } = new URL(bedrock.baseUrl);
  assert.deepEqual(await ask(), [
    ["keyed", true, `${origin} replies (403)`],
    ["wrong-key", false, `${origin} rejects the key of wrong-key (403)`],
    // It may not read the list, and is valid nevertheless.
    ["static", true, `${origin} replies (403)`],
    ["other-region", false, `${origin} is not in us-east-1, the host.region (403)`],
  ]);
  asked.splice(0, asked.length, ...entries.filter(({ name }) => name === "static"));
  const rows = [
    [{ ...STATIC, expiresMs: Date.now() - 1 }, "says that the credentials of static have expired"],
    [{ ...STATIC, secretAccessKey: "another" }, "says that the secret key of static is wrong"],
    [{ ...STATIC, sessionToken: "missing" }, "does not know the credentials of static"],
  ] as const;
  for (const [keys, fault] of rows) {
    known.set("AKIASTATIC", keys);
    // oxlint-disable-next-line no-await-in-loop -- one set of keys after the other
    assert.deepEqual(await ask(), [["static", false, `${origin} ${fault} (403)`]]);
  }
  known.set("AKIASTATIC", STATIC);
});
