// The whole service with models that Azure hosts. The fake resource rejects what the real one rejects.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { askProviders } from "../../../src/providers/ask-providers.ts";
import { NO_PROXIES } from "../../../src/providers/wire/proxies.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { familyOf } from "../../support/family-of.ts";
import { FakeProvider } from "../../support/fake-provider.ts";
import { HOST_SERVICES } from "../../support/host-services.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { openProviders } from "../../support/provider-registry.ts";
import { modelOfTargets, targetOf } from "../../support/targets.ts";
import { testModel } from "../../support/service-config.ts";
import { TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { createSystemClock } from "../../../src/system/clock.ts";
import { AZURE_KEY, azureWire, startIdentityEndpoint } from "./azure-server.ts";

let validToken = "";
const azure = await FakeProvider.start(azureWire((token) => token === validToken));
let replyToIdentity: Parameters<typeof startIdentityEndpoint>[0] = () => {};
const identity = await startIdentityEndpoint((response, count) => replyToIdentity(response, count));
const family = familyOf("openai");
const baseUrl = azure.baseUrl;
const resource = { family, baseUrl, apiKey: null };
const entries = [
  { name: "keyed", ...resource, apiKey: AZURE_KEY, hostSettings: { type: "azure" } },
  { name: "wrong", ...resource, apiKey: "another-key", hostSettings: { type: "azure" } },
  { name: "bearer", ...resource, headers: { Authorization: "Bearer static-token" }, hostSettings: { type: "azure" } },
  { name: "down", ...resource, hostSettings: { type: "azure", identity: "managed", client_id: "unknown" } },
  { name: "managed", ...resource, hostSettings: { type: "azure", identity: "managed" } },
];
process.env["IDENTITY_ENDPOINT"] = identity.url;
process.env["IDENTITY_HEADER"] = "identity-header";
const target = (provider: string, order: number) =>
  targetOf(provider, { upstreamModel: "gpt-eu", target: `${provider}/gpt-eu`, order });
const BOTH = modelOfTargets([target("down", 1), target("keyed", 2)], { id: "team/both" });
const providers = await openProviders(entries);
const service = await TestService.start({
  providers,
  models: [
    BOTH,
    ...entries.flatMap(({ name }) =>
      ["gpt-eu", "gpt-gone", "busy", "filtered"].map((deployment) =>
        testModel(`${name}/${deployment}`, { provider: name, upstreamModel: deployment }),
      ),
    ),
  ],
});
after(async () => {
  delete process.env["IDENTITY_ENDPOINT"];
  delete process.env["IDENTITY_HEADER"];
  await service.close();
  await providers.close();
  await azure.close();
  await identity.close();
});

/** What doctor finds of a provider. */
async function ask(name: string) {
  const chosen = entries.filter((entry) => entry.name === name);
  const [found] = await askProviders(chosen, { ...HOST_SERVICES, clock: createSystemClock(), proxies: NO_PROXIES });
  return found?.keys ?? [];
}

const grant =
  (token: string, livesSeconds: number): typeof replyToIdentity =>
  (response) => {
    const expires_on = String(Math.floor(Date.now() / 1000) + livesSeconds);
    response.end(
      JSON.stringify({ access_token: token, expires_on, resource: "https://ai.azure.com", token_type: "Bearer" }),
    );
  };

test("a turn with a key goes to the v1 Responses API, the deployment in the body, and is counted as at OpenAI", async () => {
  const { status, json, text } = await service.create({
    model: "keyed/gpt-eu",
    input: "/usage input=100 cached=40 output=7 reasoning=3\nHi",
  });
  assert.equal(status, 200, text);
  assert.equal(json.output[0].content[0].text, "Hi");
  assert.deepEqual([json.usage.input_tokens, json.usage.output_tokens], [100, 7]);
  const { headers, body } = azure.calls.at(-1)!;
  assert.deepEqual([headers["api-key"], headers.authorization, body.model], [AZURE_KEY, undefined, "gpt-eu"]);
});

test("a token in a header of the operator's is sent as it is", async () => {
  validToken = "static-token";
  const { json } = await service.create({ model: "bearer/gpt-eu", input: "Hi" });
  assert.equal(json.status, "completed");
  assert.equal(azure.calls.at(-1)?.headers["api-key"], undefined);
});

test("a managed identity gets one token for many turns", async () => {
  validToken = "entra-1";
  replyToIdentity = grant("entra-1", 8 * 3600);
  const create = () => service.create({ model: "managed/gpt-eu", input: "Hi" });
  for (const { json, text } of await Promise.all([create(), create(), create()])) {
    assert.equal(json.status, "completed", text);
  }
  const [first = ""] = identity.asked;
  assert.match(first, /^identity-header .*resource=https%3A%2F%2Fai\.azure\.com/);
  assert.equal(identity.asked.length, 1);
});

test("errors of Azure have the codes of the interface", async () => {
  const create = (model: string) => service.create({ model, input: "Hi" });
  const busy = await create("keyed/busy");
  assertApiError(busy, { status: 429, code: "provider_rate_limited", param: null });
  assert.equal(busy.headers["retry-after"], "7");
  for (const model of ["wrong/gpt-eu", "keyed/gpt-gone"]) {
    assertApiError(await create(model), { status: 502, code: "provider_unavailable", param: null });
  }
  const { json, text } = await create("keyed/filtered");
  assert.deepEqual([json.status, json.error?.code], ["failed", "provider_client_error"], text);
  assert.match(json.error.message, /content management policy/);
});

test("a credential service that rejects is a provider error without its words, and doctor has them", async () => {
  replyToIdentity = (response) => response.writeHead(400).end('{"error":"invalid_request","message":"no identity"}');
  const asked = azure.calls.length;
  const answer = service.create({ model: "down/gpt-eu", input: "Hi" });
  for (const count of [1, 2]) {
    // As after a connection that could not be made.
    await until(
      `pause ${count}`,
      () => service.logged.filter(({ event }) => event === "provider.retry").length === count,
    );
    await service.clock.advance(500);
  }
  const reply = await answer;
  assertApiError(reply, { status: 502, code: "provider_unavailable", param: null });
  assert.equal(reply.json.error.message, "The provider did not complete the request.");
  const [finding] = await ask("down");
  assert.equal(finding?.isOk, false);
  assert.match(finding.detail, /^provider "down": no credentials \(.+\)$/);
  assert.equal(azure.calls.length, asked);
});

test("a turn whose first target gets no token moves on to the next one, and nothing was sent", async () => {
  replyToIdentity = (response) => response.writeHead(400).end('{"error":"invalid_request","message":"no identity"}');
  const asked = azure.calls.length;
  const { json, text } = await service.create({ model: "team/both", input: "Hi" });
  assert.equal(json.status, "completed", text);
  assert.equal(json["svc:target"], "keyed/gpt-eu");
  assert.deepEqual(
    json["svc:attempts"].map((failed: { target: string; code: string }) => [failed.target, failed.code]),
    [["down/gpt-eu", "provider_unavailable"]],
  );
  assert.equal(azure.calls.length, asked + 1);
});

test("a cancelled turn does not wait for its token", async () => {
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  replyToIdentity = () => resolve();
  const stream = await LiveStream.open(service, { model: "down/gpt-eu" });
  await isAsked;
  const askedMs = performance.now();
  const { json } = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
  assert.equal(json.status, "cancelled");
  await stream.closed;
  assert.ok(performance.now() - askedMs < 8_000, "a token is given up after ten seconds");
});

test("doctor asks for the models of the resource, with the credentials", async () => {
  const [good] = await ask("keyed");
  assert.deepEqual([good?.isOk, good?.detail], [true, `${new URL(baseUrl).origin} replies (200), the key works`]);
  const [token] = await ask("managed");
  assert.deepEqual(
    [token?.isOk, token?.detail],
    [true, `${new URL(baseUrl).origin} replies (200), the credentials work`],
  );
  const [wrong] = await ask("wrong");
  assert.match(wrong?.detail ?? "", /rejects the key of wrong \(401\)/);
});
