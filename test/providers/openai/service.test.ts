// The whole service with this family: requests and replies of clients, and the requests that reach the provider. The
// fake provider rejects the same requests as the real one, so a completed turn was requested correctly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPENAI_MODELS } from "../../../src/providers/openai/models.ts";
import { RESPONSES_KEY, RESPONSES_WIRE } from "../../support/fake-responses.ts";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { testModel } from "../../support/service-config.ts";
import { patiently } from "../../support/patiently.ts";
import { until } from "../../support/until.ts";
import { startOnFake, textsOf, TOOLS } from "../service-on-fake.ts";

const MODEL = "openai/gpt-6.1-terra";
const { service, calls, lastBody, create, assertCompleted, answerCalls } = await startOnFake({
  family: "openai",
  wire: RESPONSES_WIRE,
  apiKey: RESPONSES_KEY,
  model: MODEL,
  models: [
    ...OPENAI_MODELS,
    testModel("openai/other", { provider: "openai", upstreamModel: "other" }),
    testModel("openai/plain", { provider: "openai", upstreamModel: "plain" }),
    testModel("wrong-key/gpt", { provider: "wrong-key", upstreamModel: "gpt" }),
  ],
});

test("a conversation: instructions, settings, history with its phases, usage, the end user", async () => {
  const first = assertCompleted(
    await create({
      input: "/usage input=100 cached=40 write=10 output=7 reasoning=3\nHi",
      instructions: "Be brief.",
      safety_identifier: "u1",
      text: { verbosity: "low" },
    }),
  );
  assert.deepEqual(textsOf(first), ["Hi"]);
  assert.equal(first.json.output[0].phase, "final_answer");
  assert.deepEqual(first.json.usage, {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 107,
  });
  assert.deepEqual(first.json.reasoning, { effort: "medium", summary: null });
  assert.equal(first.json["svc:warnings"], undefined);
  const { safety_identifier: endUser, prompt_cache_key: cacheKey, ...body } = lastBody();
  assert.match(endUser, /^[0-9a-f]{32,128}$/);
  assert.match(cacheKey, /^[0-9a-f]{32,64}$/);
  assert.deepEqual(body, {
    model: "gpt-6.1-terra",
    input: [{ type: "message", role: "user", content: "/usage input=100 cached=40 write=10 output=7 reasoning=3\nHi" }],
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    instructions: "Be brief.",
    text: { verbosity: "low" },
    reasoning: { effort: "medium" },
  });

  assertCompleted(await create({ previous_response_id: first.json.id, input: "And now?", max_output_tokens: 500 }));
  assert.equal(lastBody().instructions, undefined);
  assert.equal(lastBody().max_output_tokens, 500);
  assert.equal(lastBody().prompt_cache_key, cacheKey);
  assert.deepEqual(lastBody().input[1], { type: "message", role: "assistant", content: "Hi", phase: "final_answer" });
});

test("the rounds of a turn replay its reasoning unchanged and nothing twice; the next turn has none of it", async () => {
  const input = [
    '/reason First.\n/say Let me look.\n/tool look {"at":"one"}',
    '/reason Second.\n/tool look {"at":"two"}\n/reason Third.\n/say And there.\n/tool look {"at":"three"}',
    "/say Done.",
  ].join("\n/then\n");
  let answer = assertCompleted(await create({ input, tools: TOOLS }));
  for (let round = 1; round <= 2; round++) {
    const before = lastBody().input;
    answer = assertCompleted(await answerCalls(answer));
    assert.deepEqual(lastBody().input.slice(0, before.length), before);
  }
  assert.deepEqual(textsOf(answer), ["Done."]);
  assert.deepEqual(
    lastBody().input.map(
      (item: Loose) =>
        item.summary?.[0].text ?? (item.role === "assistant" ? item.content : undefined) ?? item.arguments ?? item.type,
    ),
    [
      "message",
      "First.",
      "Let me look.",
      '{"at":"one"}',
      "function_call_output",
      "Second.",
      '{"at":"two"}',
      "Third.",
      "And there.",
      '{"at":"three"}',
      "function_call_output",
      "function_call_output",
    ],
  );
  const thoughts = lastBody().input.filter(({ type }: Loose) => type === "reasoning");
  assert.ok(thoughts.every(({ id }: Loose) => id.startsWith("rs_")));

  assertCompleted(await create({ previous_response_id: answer.json.id, input: "/say Hello" }));
  const types = lastBody().input.map(({ type }: Loose) => type);
  assert.ok(!types.includes("reasoning"));
  assert.equal(types.filter((type: string) => type === "function_call").length, 3);
});

test("a model that turns out not to reason gets its round again without asking for reasoning, and is not asked later", async () => {
  const ask = () => create({ model: "openai/plain", input: "/say Hi." });
  for (const { json, text } of await Promise.all([ask(), ask()])) assert.equal(json.status, "completed", text);
  const asked = calls().length;
  assert.ok(calls().some(({ error }) => error !== null));
  assert.equal((await ask()).json.status, "completed");
  assert.equal(calls().length, asked + 1);
  assert.equal(lastBody().include, undefined);
});

test("another model of the same provider is sent no reasoning of the first", async () => {
  const first = assertCompleted(
    await create({ input: "/reason Mine.\n/tool look {}\n/then\n/say Done.", tools: TOOLS }),
  );
  assertCompleted(await answerCalls(first, { model: "openai/other" }));
  assert.ok(lastBody().input.every(({ type }: Loose) => type !== "reasoning"));
});

test("calls beyond the limit are dropped, with the reasoning that led to them, and the turn goes on", async () => {
  const input = '/reason One.\n/tool look {"at":"1"}\n/reason Two.\n/tool look {"at":"2"}\n/then\n/say Done.';
  const first = assertCompleted(await create({ input, tools: TOOLS, max_tool_calls: 1 }));
  assert.equal(first.json["svc:tool_calls_dropped"], 1);
  assert.deepEqual(textsOf(assertCompleted(await answerCalls(first))), ["Done."]);
  assert.deepEqual(
    lastBody().input.map(({ type }: Loose) => type),
    ["message", "reasoning", "function_call", "function_call_output"],
  );
});

test("complete calls of a truncated response are answered with the reasoning that led to them", async () => {
  const input = '/reason One.\n/tool look {"at":"1"}\n/incomplete max_output_tokens\n/then\n/say Done.';
  const first = await create({ input, tools: TOOLS });
  assert.equal(first.json.status, "incomplete");
  assert.deepEqual(textsOf(assertCompleted(await answerCalls(first))), ["Done."]);
  assert.deepEqual(
    lastBody().input.map(({ type }: Loose) => type),
    ["message", "reasoning", "function_call", "function_call_output"],
  );
});

test("reasoning items carry summary and, when asked for, encrypted content", async () => {
  const include = ["reasoning.encrypted_content"];
  const answer = assertCompleted(await create({ input: "/reason Hm.\n/say Yes.", include }));
  const [reasoning] = answer.json.output;
  assert.deepEqual(reasoning.summary, [{ type: "summary_text", text: "Hm." }]);
  assert.match(reasoning.encrypted_content, /^gAAA\./);
});

test("a refusal has the model's text, and a truncated response its reason", async () => {
  const rejected = assertCompleted(await create({ input: "/refuse I won't." }));
  assert.deepEqual(rejected.json.output[0].content, [{ type: "refusal", refusal: "I won't." }]);
  for (const reason of ["max_output_tokens", "content_filter"]) {
    const { json } = await create({ input: `Half\n/incomplete ${reason}` });
    assert.deepEqual([json.status, json.incomplete_details], ["incomplete", { reason }]);
  }
});

test("a schema is sent with its name and strictness, citations come back", async () => {
  const schema = {
    type: "object",
    properties: { a: { type: "integer" } },
    required: ["a"],
    additionalProperties: false,
  };
  const format = { type: "json_schema", name: "it", strict: true, schema };
  const answer = assertCompleted(await create({ input: "Go", text: { format } }));
  assert.deepEqual(JSON.parse(textsOf(answer).join("")), { a: 0 });
  assert.deepEqual(lastBody().text, { format });
  const cited = assertCompleted(await create({ input: "See.\n/cite https://a.test A" }));
  assert.deepEqual(cited.json.output[0].content[0].annotations, [
    { type: "url_citation", url: "https://a.test", title: "A", start_index: 0, end_index: 4 },
  ]);
});

test("settings outside the group are rejected before the provider is called", async () => {
  for (const param of ["temperature", "top_p", "presence_penalty", "frequency_penalty"]) {
    assertApiError(await create({ input: "Hi", [param]: 1 }), {
      status: 400,
      code: "invalid_input",
      param,
      message: /openai\/gpt-6\.1-terra/,
    });
  }
  assert.equal(calls().length, 0);
});

test("failures are HTTP errors or failed responses, with the provider's request id, and never our key", async () => {
  assertApiError(await create({ input: "/fail provider_rate_limited retry_after=7" }), {
    status: 429,
    code: "provider_rate_limited",
  });
  const wrongKey = await create({ model: "wrong-key/gpt", input: "Hi" });
  assertApiError(wrongKey, { status: 502, code: "provider_unavailable" });
  assert.doesNotMatch(wrongKey.text, /sk-/);
  const blocked = await create({ input: "/fail end_user_blocked", safety_identifier: "u1" });
  assert.equal(blocked.json.error.code, "end_user_blocked");
  const policy = await create({ input: "Half\n/say Half\n/fail provider_client_error" });
  assert.equal(policy.json.error.code, "provider_client_error");
  const { provider, provider_status, provider_request_id } = policy.json["svc:error"];
  assert.deepEqual([provider, provider_status], ["openai", 200]);
  assert.match(provider_request_id, /^req_fake_/);
});

test("an overloaded provider is called three times, then reported as overloaded", async () => {
  const answer = await patiently(service, create({ input: "/fail provider_overloaded" }));
  assertApiError(answer, { status: 502, code: "provider_overloaded" });
  assert.equal(calls().length, 3);
});

test("a turn that is cancelled closes its connection", async () => {
  const running = service.stream({ model: MODEL, input: "/say So far\n/hang" });
  await until("the request", () => calls().length === 1);
  service.gateway.runs.stopAll();
  await until("the connection to close", () => calls()[0]?.isAborted === true);
  await running;
});
