// The whole service on Gemini: failures, and responses that end early.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import type { Loose } from "../../support/http-client.ts";
import { until } from "../../support/until.ts";
import { reportError, retryInfo, streamFixture, streamParts } from "./gemini-server.ts";
import { KEY, MODEL, startOnGemini } from "./service-setup.ts";

const { server, service, bodies, create } = await startOnGemini();

const REFUSALS: readonly (readonly [fixture: string, content: object[]])[] = [
  [
    "safety-after-text",
    [
      { type: "output_text", text: "I could say", annotations: [], logprobs: [] },
      { type: "refusal", refusal: "" },
    ],
  ],
  ["safety-before-text", [{ type: "refusal", refusal: "" }]],
  ["prompt-block", [{ type: "refusal", refusal: "" }]],
];

for (const [fixture, content] of REFUSALS) {
  test(`${fixture}: a refusal without text after the output, completed, and the conversation goes on`, async () => {
    server.script(streamFixture(fixture), streamFixture("text"));
    const { json } = await create({ input: "Tell me" });
    assert.equal(json.status, "completed");
    assert.deepEqual(json.output[0].content, content);
    const { json: next } = await create({ input: "Then something else", previous_response_id: json.id });
    assert.equal(next.status, "completed");
  });
}

test("a truncated response is incomplete", async () => {
  server.script(streamFixture("max-tokens"));
  const { json } = await create({ input: "Count", max_output_tokens: 16 });
  assert.deepEqual([json.status, json.incomplete_details], ["incomplete", { reason: "max_output_tokens" }]);
  assert.equal(bodies()[0]?.generationConfig["maxOutputTokens"], 16);
});

test("a split response is one response with the usage of both parts", async () => {
  server.script(streamFixture("continuation-1"), streamParts([{ text: " a time" }]));
  const { json } = await create({ input: "A story" });
  assert.equal(json.output.at(-1).content[0].text, "Once upon 🎉 a time");
  assert.deepEqual([json.usage.input_tokens, json.usage.output_tokens], [40, 20]);
});

test("a provider's rate limit is a 429 with its Retry-After, and nothing is left of the turn", async () => {
  server.script(reportError(429, "RESOURCE_EXHAUSTED", "quota", [retryInfo("34s")]));
  const reply = await create({ input: "Hi" });
  assertApiError(reply, { status: 429, code: "provider_rate_limited", param: null });
  assert.equal(reply.headers["retry-after"], "34");
});

test("an overloaded provider is called three times, then a 502", async () => {
  const overloaded = reportError(503, "UNAVAILABLE");
  server.script(overloaded, overloaded, overloaded);
  const isPause = ({ event, fields }: { event: string; fields: unknown }) =>
    event === "provider.retry" && (fields as Loose).provider === "gemini";
  const pauses = () => service.logged.filter(isPause).length;
  const before = pauses();
  const answering = create({ input: "Hi" });
  for (const pause of [1, 2]) {
    await until("a pause", () => pauses() === before + pause);
    await service.clock.advance(400);
  }
  assertApiError(await answering, { status: 502, code: "provider_overloaded", param: null });
  assert.equal(bodies().length, 3);
});

const FAILED: readonly (readonly [reply: ReturnType<typeof reportError>, status: number, code: string])[] = [
  [reportError(403, "PERMISSION_DENIED", `bad ${KEY}`), 502, "provider_unavailable"],
  [reportError(404, "NOT_FOUND"), 502, "provider_unavailable"],
  [({ socket }) => void socket.resetAndDestroy(), 502, "provider_unavailable"],
  [reportError(400, "INVALID_ARGUMENT", `bad ${KEY}`), 200, "provider_client_error"],
  [streamFixture("broken-malformed-call"), 200, "provider_error"],
  [streamFixture("broken-not-json"), 200, "provider_error"],
];

for (const [index, [reply, status, code]] of FAILED.entries()) {
  test(`failure ${index}: ${code} is ${status}, without our key, and as response.failed in a stream`, async () => {
    server.script(reply, reply);
    const whole = await create({ input: "Hi" });
    assert.equal(whole.status, status, whole.text);
    assert.equal(whole.json.error.code, code);
    if (status === 200) assert.equal(whole.json.status, "failed");
    const { events, text } = await service.stream({ model: MODEL, input: "Hi" });
    const last = events.at(-1);
    assert.deepEqual([last?.event, last?.data.response.error.code], ["response.failed", code]);
    assert.ok(!whole.text.includes(KEY) && !text.includes(KEY));
  });
}

test("an error in the middle of a response keeps the text and the reported usage", async () => {
  server.script(streamFixture("broken-overloaded-midstream"));
  const { events } = await service.stream({ model: MODEL, input: "Hi" });
  const { response } = events.at(-1)?.data ?? {};
  assert.deepEqual([response.status, response.error.code], ["failed", "provider_overloaded"]);
  assert.equal(response.output[0].content[0].text, "Bon");
  assert.equal(response.usage.input_tokens, 9);
  assert.equal(response["svc:error"].provider_request_id, "resp-g1");
});
