// A provider with the keys of two accounts: a history stays with one, and leaves it only while it is rejected.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FakeProvider } from "../../support/fake-provider.ts";
import { RESPONSES_KEY, RESPONSES_WIRE } from "../../support/fake-responses.ts";
import { familyOf } from "../../support/family-of.ts";
import { openProviders } from "../../support/provider-registry.ts";
import { testModel } from "../../support/service-config.ts";
import { TestService } from "../../support/service.ts";
import type { Loose } from "../../support/http-client.ts";
import { TOOLS } from "../service-on-fake.ts";

const KEYS = ["sk-account-1", "sk-account-2"] as const;
const rejected = new Set<string>();

const server = await FakeProvider.start({
  ...RESPONSES_WIRE,
  check(request) {
    const key = String(request.headers.authorization).replace("Bearer ", "");
    const isKnown = KEYS.some((one) => one === key) && !rejected.has(key);
    const authorization = `Bearer ${isKnown ? RESPONSES_KEY : key}`;
    return RESPONSES_WIRE.check({ ...request, headers: { ...request.headers, authorization } });
  },
});
const providers = await openProviders([
  { name: "openai", family: familyOf("openai"), baseUrl: server.baseUrl, apiKey: KEYS[0], furtherApiKeys: [KEYS[1]] },
]);
const MODEL = "openai/gpt-6.1-terra";
const service = await TestService.start({
  providers,
  models: [testModel(MODEL, { provider: "openai", upstreamModel: "gpt-6.1-terra" })],
});
after(async () => {
  await service.close();
  await providers.close();
  await server.close();
});

/** The key and the cache key of the requests since the last look, each once. */
let looked = 0;
function lookAtCalls() {
  const calls = server.calls.slice(looked);
  looked = server.calls.length;
  const each = (of: (call: (typeof calls)[number]) => unknown) => [...new Set(calls.map((call) => String(of(call))))];
  return { keys: each(({ headers }) => headers.authorization), cacheKeys: each(({ body }) => body.prompt_cache_key) };
}

async function create(body: object): Promise<Loose> {
  const { json, text } = await service.create({ model: MODEL, ...body });
  assert.equal(json.status, "completed", text);
  return json;
}

const outputsOf = ({ output }: Loose) =>
  output
    .filter(({ type }: Loose) => type === "function_call")
    .map(({ call_id }: Loose) => ({ type: "function_call_output", call_id, output: "seen" }));

/** A turn with two rounds, and a turn behind it, by either route. */
async function converse(conversation?: string): Promise<void> {
  const input = "/reason Hm.\n/tool look {}\n/then\n/say Done.";
  const named = conversation === undefined ? {} : { conversation };
  const first = await create({ input, tools: TOOLS, ...named });
  const continued = ({ id }: Loose) => (conversation === undefined ? { previous_response_id: id } : named);
  const second = await create({ input: outputsOf(first), ...continued(first) });
  const third = await create({ input: "/say And?", ...continued(second) });
  await create({ input: "/say More?", ...continued(third) });
}

test("the rounds and turns of a history have one key and one cache key; histories spread over both", async () => {
  const seen = { keys: new Set<string>(), cacheKeys: new Set<string>() };
  for (let history = 0; history < 24; history++) {
    const { json } = await service.request("POST", "/v1/conversations", { body: {} });
    await converse(history % 2 === 0 ? undefined : json.id);
    const { keys, cacheKeys } = lookAtCalls();
    assert.deepEqual([keys.length, cacheKeys.length], [1, 1]);
    seen.keys.add(keys[0] ?? "");
    seen.cacheKeys.add(cacheKeys[0] ?? "");
  }
  assert.equal(seen.keys.size, 2);
  assert.ok(seen.cacheKeys.size > 1 && seen.cacheKeys.size <= 8, String(seen.cacheKeys.size));
});

test("a history whose key is rejected goes on with the other one", async () => {
  const first = await create({ input: "/say Hi." });
  const [own = ""] = lookAtCalls().keys;
  rejected.add(own.replace("Bearer ", ""));
  const more = { model: MODEL, previous_response_id: first.id, input: "/say Go on." };
  const failed = await service.create(more);
  assert.equal(failed.status, 502, failed.text);
  const { json } = await service.create(more);
  assert.equal(json.status, "completed");
  assert.equal(lookAtCalls().keys.length, 2);
});
