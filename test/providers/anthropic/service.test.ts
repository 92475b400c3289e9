// The whole service with this family behind it: what a client sends and reads, and what the provider is asked meanwhile. The
// provider refuses what the real one does, so that a turn that ends well was asked for well.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { ANTHROPIC_MODELS } from "../../../src/providers/anthropic/models.ts";
import { createProviderRegistry } from "../../../src/providers/registry.ts";
import { createSystemClock } from "../../../src/system/clock.ts";
import { createIds } from "../../../src/system/ids.ts";
import { MESSAGES_KEY, MESSAGES_WIRE } from "../../support/fake-messages.ts";
import { FakeProvider } from "../../support/fake-provider.ts";
import type { Answer, Loose } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertRefused } from "../../support/refused.ts";
import { TestService, testModel } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const server = await FakeProvider.start(MESSAGES_WIRE);
const providers = createProviderRegistry(
  [
    { name: "anthropic", type: "anthropic", baseUrl: server.baseUrl, apiKey: MESSAGES_KEY },
    { name: "wrong-key", type: "anthropic", baseUrl: server.baseUrl, apiKey: "sk-ant-wrong" },
    { name: "simulated", type: "simulated", baseUrl: null, apiKey: null },
  ],
  { clock: createSystemClock(), ids: createIds() },
);
const service = await TestService.start({
  providers,
  models: [
    ...ANTHROPIC_MODELS,
    testModel("anthropic/older", {
      provider: "anthropic",
      upstreamModel: "claude-haiku-4-5-20251001",
      thinking: { budgetTokens: 2_000 },
    }),
    testModel("wrong-key/claude", { provider: "wrong-key", upstreamModel: "claude-opus-5" }),
    testModel("simulated/echo", { provider: "simulated", upstreamModel: "echo" }),
  ],
});
after(async () => {
  await service.close();
  await providers.close();
  await server.close();
});

const MODEL = "anthropic/claude-opus-5-5";
const TOOLS = [
  { type: "function", name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } },
];

let asked = 0;
beforeEach(() => {
  asked = server.calls.length;
});
/** What the provider was asked in this test. */
const calls = () => server.calls.slice(asked);
const lastBody = (): Loose => calls().at(-1)?.body;

const create = (body: object) => service.create({ model: MODEL, ...body });
const textOf = ({ json }: Answer) =>
  json.output.flatMap(({ content = [] }: Loose) => content.map(({ text = "" }: Loose) => text)).join("|");
const codesOf = ({ json }: Answer) => (json["svc:warnings"] ?? []).map(({ code }: Loose) => code);
const callsOf = ({ json }: Answer) => json.output.filter(({ type }: Loose) => type === "function_call");

/** Ends well, and the provider found nothing to refuse. */
function assertCompleted(answer: Answer): Answer {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.status, "completed", answer.text);
  for (const { error } of calls()) assert.equal(error, null);
  return answer;
}

/** Answers every call of a response. */
const answerCalls = (to: Answer, more: object = {}) =>
  create({
    model: to.json.model,
    previous_response_id: to.json.id,
    input: callsOf(to).map(({ call_id: callId }: Loose) => ({
      type: "function_call_output",
      call_id: callId,
      output: `seen ${callId}`,
    })),
    ...more,
  });

test("a conversation: instructions, history, usage, the end user, the headers of the wire", async () => {
  const first = assertCompleted(
    await create({
      input: "/usage input=100 cached=40 output=7 reasoning=3\nHi",
      instructions: "Be brief.",
      safety_identifier: "u1",
    }),
  );
  assert.equal(textOf(first), "Hi");
  assert.deepEqual(first.json.usage, {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 107,
  });
  assert.deepEqual(first.json.reasoning, { effort: "medium", summary: "auto" });
  const { headers, body } = calls()[0] as Loose;
  assert.equal(headers["x-api-key"], MESSAGES_KEY);
  assert.equal(headers.authorization, undefined);
  assert.equal(body.system, "Be brief.");
  assert.match(body.metadata.user_id, /^[0-9a-f]{32,}$/);
  assert.doesNotMatch(JSON.stringify(body), /u1/);

  assertCompleted(await create({ previous_response_id: first.json.id, input: "And now?", max_output_tokens: 500 }));
  assert.equal(lastBody().system, undefined);
  assert.equal(lastBody().max_tokens, 500);
  assert.deepEqual(
    lastBody().messages.map(({ role }: Loose) => role),
    ["user", "assistant", "user"],
  );
});

for (const { id } of ANTHROPIC_MODELS) {
  test(`${id}: the rounds of a turn replay its thinking as it came, the next turn none of it`, async () => {
    const input = [
      '/reason "First."\n/say Let me look.\n/tool look {"at":"one"}',
      '/reason "Second."\n/tool look {"at":"two"}\n/reason "Third."\n/say And there.\n/tool look {"at":"three"}',
      '/tool look {"at":"four"}',
      "/say Done.",
    ].join("\n/then\n");
    const tools = TOOLS;
    let answer = assertCompleted(await create({ model: id, input, tools, instructions: "Look well." }));
    const opened = answer;
    for (let round = 1; round <= 3; round++) {
      const firsts = calls()
        .slice(0, -1)
        .map(({ body }) => body.messages);
      // What was sent before is sent again to the letter: that is what the thoughts are bound to.
      for (const messages of firsts) assert.deepEqual(lastBody().messages.slice(0, messages.length), messages);
      answer = assertCompleted(await answerCalls(answer, { instructions: "Look well." }));
      assert.deepEqual(codesOf(answer), []);
    }
    assert.equal(textOf(answer), "Done.");
    const assistants = lastBody().messages.filter(({ role }: Loose) => role === "assistant");
    assert.deepEqual(
      assistants.map(({ content }: Loose) =>
        content.map((block: Loose) => block.thinking ?? block.text ?? block.input.at),
      ),
      [["First.", "Let me look.", "one"], ["Second.", "two", "Third.", "And there.", "three"], ["four"]],
    );
    assert.equal(lastBody().messages.length, 7);

    assertCompleted(await create({ model: id, previous_response_id: answer.json.id, input: "/say Hello" }));
    assert.doesNotMatch(JSON.stringify(lastBody().messages), /thinking/);
    assert.equal(answer.json.usage.output_tokens > opened.json.usage.output_tokens, true);
  });
}

test("a model with a budget replays its thinking too, and joins another model's turn without any", async () => {
  const input = '/reason "First."\n/tool look {}\n/then\n/reason "Second."\n/tool look {}\n/then\n/say Done.';
  const older = { model: "anthropic/older" };
  const first = assertCompleted(await create({ ...older, input, tools: TOOLS, max_output_tokens: 4_000 }));
  const second = assertCompleted(await answerCalls(first));
  assert.deepEqual(lastBody().thinking, { type: "enabled", budget_tokens: 2_000 });
  assert.match(JSON.stringify(lastBody().messages), /"First\."/);
  assert.equal(textOf(assertCompleted(await answerCalls(second))), "Done.");

  const other = assertCompleted(await create({ input, tools: TOOLS }));
  assertCompleted(await answerCalls(other, older));
  assert.equal(lastBody().thinking, undefined);
});

test("a tool answer without room for the budget goes on without the turn's thinking", async () => {
  const input = '/reason "First."\n/tool look {}\n/then\n/say Done.';
  const first = assertCompleted(
    await create({ model: "anthropic/older", input, tools: TOOLS, max_output_tokens: 4_000 }),
  );
  const second = assertCompleted(await answerCalls(first, { max_output_tokens: 500 }));
  assert.equal(textOf(second), "Done.");
  assert.deepEqual(second.json.reasoning, { effort: "none", summary: null });
});

test("instructions that change within a turn cost a bound model its earlier thinking, and the client hears of it", async () => {
  const input = '/reason "Bound."\n/tool look {}\n/then\n/say Done.';
  for (const [model, codes] of [
    [MODEL, ["reasoning_not_replayed"]],
    ["anthropic/claude-opus-5", []],
  ] as const) {
    const first = assertCompleted(await create({ model, input, tools: TOOLS, instructions: "One." }));
    const second = assertCompleted(await answerCalls(first, { instructions: "Two." }));
    assert.deepEqual(codesOf(second), codes);
    assert.equal(textOf(second), "Done.");
  }
});

test("reasoning items carry summary and, when asked for, encrypted content", async () => {
  const include = ["reasoning.encrypted_content"];
  const answer = assertCompleted(await create({ input: '/reason "Hm."\n/say Yes.', include }));
  const [reasoning, message] = answer.json.output;
  assert.deepEqual(reasoning.summary, [{ type: "summary_text", text: "Hm." }]);
  assert.match(reasoning.encrypted_content, /^[\w-]+\.[\w-]+$/);
  assert.equal(message.content[0].text, "Yes.");
  const without = await service.request("GET", `/v1/responses/${answer.json.id}`);
  assert.equal(without.json.output[0].encrypted_content, undefined);
});

test("calls beyond the cap are dropped, and the turn goes on without them", async () => {
  const input = '/reason "Two."\n/tool look {"at":"1"}\n/say Both.\n/tool look {"at":"2"}\n/then\n/say Done.';
  const first = assertCompleted(await create({ input, tools: TOOLS, max_tool_calls: 1 }));
  assert.equal(first.json["svc:tool_calls_dropped"], 1);
  const second = assertCompleted(await answerCalls(first));
  assert.equal(textOf(second), "Done.");
  const [, assistant] = lastBody().messages;
  assert.deepEqual(
    assistant.content.map(({ type }: Loose) => type),
    ["thinking", "tool_use", "text"],
  );
});

test("what was thought for a dropped call does not end what is replayed", async () => {
  const input = '/reason "One."\n/tool look {}\n/reason "Two."\n/tool look {}\n/then\n/say Done.';
  const first = assertCompleted(await create({ input, tools: TOOLS, max_tool_calls: 1 }));
  assert.equal(textOf(assertCompleted(await answerCalls(first))), "Done.");
  assert.deepEqual(
    lastBody().messages[1].content.map(({ type }: Loose) => type),
    ["thinking", "tool_use"],
  );
});

test("a model that declines ends its words with an empty refusal, and the conversation goes on without that exchange", async () => {
  const first = assertCompleted(await create({ input: "/say One." }));
  const declined = assertCompleted(
    await create({ previous_response_id: first.json.id, input: "/say Well,\n/refuse I would rather not." }),
  );
  assert.deepEqual(
    declined.json.output[0].content.map((part: Loose) => part.text ?? part.refusal),
    ["Well,I would rather not.", ""],
  );
  const next = assertCompleted(await create({ previous_response_id: declined.json.id, input: "/say Three." }));
  assert.equal(textOf(next), "Three.");
  assert.deepEqual(codesOf(next), ["declined_exchanges_not_sent"]);
  assert.deepEqual(
    lastBody().messages.map(({ content }: Loose) => content[0].text),
    ["/say One.", "One.", "/say Three."],
  );
});

test("every form of tool_choice; a forced one only where the model takes it, and without thinking", async () => {
  const two = [...TOOLS, { type: "function", name: "listen" }];
  const forced = [
    "required",
    { type: "function", name: "listen" },
    { type: "allowed_tools", mode: "required", tools: [{ name: "listen" }] },
  ];
  const free = ["auto", "none", { type: "allowed_tools", mode: "auto", tools: [{ name: "look" }] }];
  for (const { id, forcedToolChoice } of ANTHROPIC_MODELS) {
    for (const choice of forced) {
      const answer = await create({ model: id, input: "Go", tools: two, tool_choice: choice });
      if (forcedToolChoice) {
        assertCompleted(answer);
        assert.deepEqual(lastBody().thinking, { type: "disabled" });
        assert.equal(callsOf(answer).length, 1);
        const done = assertCompleted(await answerCalls(answer));
        assert.match(textOf(done), /returned: seen/);
      } else
        assertRefused(answer, { status: 400, code: "invalid_input", param: "tool_choice", message: new RegExp(id) });
    }
    for (const choice of free)
      assertCompleted(await create({ model: id, input: "Go", tools: two, tool_choice: choice }));
  }
});

test("parallel calls off is one call", async () => {
  const input = "/tool look {}\n/tool look {}";
  const answer = assertCompleted(await create({ input, tools: TOOLS, parallel_tool_calls: false }));
  assert.equal(callsOf(answer).length, 1);
  assert.deepEqual(lastBody().tool_choice, { type: "auto", disable_parallel_tool_use: true });
});

test("structured output: a schema that the wire would refuse is told instead, and checked here", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string", minLength: 3 }, age: { type: "integer", minimum: 0 } },
    required: ["name", "age"],
  };
  const text = { format: { type: "json_schema", name: "person", schema, strict: true } };
  const good = assertCompleted(await create({ input: '/say {"name":"Ada","age":36}', text }));
  assert.deepEqual(codesOf(good), []);
  assert.equal(lastBody().output_config.format.schema.properties.name.description, "{minLength: 3}");
  const bad = assertCompleted(await create({ input: '/say {"name":"A","age":36}', text }));
  assert.deepEqual(codesOf(bad), ["output_not_valid"]);
});

test("settings of other groups are refused before the provider is asked", async () => {
  for (const [field, value] of [
    ["temperature", 1],
    ["top_p", 1],
    ["presence_penalty", 0],
    ["frequency_penalty", 0],
    ["text", { verbosity: "medium" }],
  ] as const) {
    assertRefused(await create({ input: "Hi", [field]: value }), { status: 400, code: "invalid_input", param: field });
  }
  assert.equal(calls().length, 0);
});

test("a conversation of every kind of item is taken by every model", async () => {
  const items = [
    { role: "assistant", content: "Welcome." },
    { role: "system", content: "Be kind." },
    { role: "user", content: "Hello." },
    { role: "developer", content: "Be brief." },
    { type: "function_call", call_id: "call:1", name: "any.thing", arguments: "[1]" },
    { type: "function_call_output", call_id: "call:1", output: "" },
    { role: "assistant", content: "I see." },
    { role: "system", content: "Be right." },
  ];
  for (const { id } of ANTHROPIC_MODELS) {
    const conversation = await service.request("POST", "/v1/conversations", { body: { items } });
    const answer = await create({ model: id, conversation: conversation.json.id, input: "/say Fine." });
    assert.equal(textOf(assertCompleted(answer)), "Fine.");
    assert.match(JSON.stringify(lastBody()), /Be kind\..*Be brief\..*Be right\.|Be brief\..*Be right\..*Be kind\./);
  }
});

test("a carried exchange opens a conversation", async () => {
  const input = [
    { type: "function_call", call_id: "a b", name: "look", arguments: '{"id":12345678901234567890}' },
    { type: "function_call_output", call_id: "a b", output: "seen" },
    { role: "user", content: "/say So it is." },
  ];
  assertCompleted(await create({ input }));
  assert.equal(lastBody().tools.length, 1);
  assert.deepEqual(lastBody().tool_choice, { type: "none" });
  assert.doesNotMatch(JSON.stringify(lastBody()), /"look"/);
});

test("a conversation moves here from another family and back, tool exchanges and all", async () => {
  const start = '/state kept\n/reason Hm.\n/say Let me look.\n/tool look {"at":"x"}\n/then\n/say Seen.';
  const there = { model: "simulated/echo" };
  const first = await create({ ...there, input: start, tools: TOOLS });
  // In the midst of a turn: the state of the other model is left out.
  const second = assertCompleted(await answerCalls(first, { model: MODEL }));
  assert.equal(textOf(second), "Seen.");
  const third = assertCompleted(
    await create({ previous_response_id: second.json.id, input: "/tool look {}", tools: TOOLS }),
  );
  const fourth = assertCompleted(await answerCalls(third, there));
  const fifth = assertCompleted(await create({ ...there, previous_response_id: fourth.json.id, input: "/history" }));
  assert.match(textOf(fifth), /Seen\./);
  assertCompleted(await create({ previous_response_id: fifth.json.id, input: "/say Here again." }));
});

test("tools whose names the wire refuses keep them for the client", async () => {
  const tools = [{ type: "function", name: "weather.now" }];
  const answer = assertCompleted(await create({ input: "/tool weather_now {}", tools }));
  assert.equal(callsOf(answer)[0].name, "weather.now");
  assertCompleted(await answerCalls(answer));
});

test("an answer that is cut short ends incomplete, and its half call is not in the history", async () => {
  const cut = await create({
    input: '/say Well,\n/tool look {"at":"a very long place that has no end to it at all, however far one looks"}',
    tools: TOOLS,
    max_output_tokens: 16,
  });
  assert.deepEqual([cut.json.status, cut.json.incomplete_details], ["incomplete", { reason: "max_output_tokens" }]);
  assertCompleted(await create({ previous_response_id: cut.json.id, input: "/say On." }));
});

test("the three failures that a waiting client hears of, before and after the first word", async () => {
  const rows: [string, number, string][] = [
    ["provider_rate_limited retry_after=7", 429, "provider_rate_limited"],
    ["provider_overloaded", 502, "provider_overloaded"],
    ["provider_unavailable", 502, "provider_unavailable"],
  ];
  for (const [directive, status, code] of rows) {
    const early = await create({ input: `/fail ${directive}` });
    assertRefused(early, { status, code });
    assert.equal(early.headers["retry-after"], directive.includes("retry_after") ? "7" : undefined);
    assertRefused(await create({ input: `/say Half\n/fail ${directive}` }), { status, code });
  }
  // A lost connection is no reason to ask again: what was sent may have run.
  assert.equal(calls().length, 6);
});

test("every other failure is a failed response, with what an operator needs and nothing of our key", async () => {
  const rows: [string, string, number, boolean][] = [
    ["provider_client_error", "provider_client_error", 400, false],
    ["provider_error", "provider_error", 200, true],
  ];
  for (const [directive, code, status, retryable] of rows) {
    const answer = await create({ input: `/fail ${directive}` });
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.json.status, answer.json.error.code], ["failed", code]);
    const { provider, provider_status, provider_request_id, retryable: mayRetry } = answer.json["svc:error"];
    assert.deepEqual([provider, provider_status, mayRetry], ["anthropic", status, retryable]);
    assert.match(provider_request_id, /^req_fake_\d+$/);
  }
});

test("our own wrong key is not the client's business", async () => {
  const answer = await create({ model: "wrong-key/claude", input: "Hi" });
  assertRefused(answer, { status: 502, code: "provider_unavailable" });
  assert.doesNotMatch(answer.text, /key|sk-ant/);
  assert.equal(calls()[0]?.error, "invalid x-api-key");
});

test("a stream climbs the ladder, and a failure within it ends it", async () => {
  const body = {
    model: MODEL,
    stream: true,
    tools: TOOLS,
    input: '/reason "Hm."\n/say One two.\n/tool look {"at":"x"}',
  };
  const { events } = await service.stream(body);
  const types = events.map(({ event }) => event).filter((event, at, all) => event !== all[at - 1]);
  assert.deepEqual(types, [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
  ]);
  const failed = await service.stream({ model: MODEL, stream: true, input: "/say Half\n/fail provider_overloaded" });
  const last = failed.events.at(-1) as Loose;
  assert.equal(last.event, "response.failed");
  assert.equal(last.data.response.error.code, "provider_overloaded");
  assert.equal(last.data.response.output[0].status, "incomplete");
});

test("a turn that is cancelled hangs up at once, and is billed for what came", async () => {
  const stream = await LiveStream.open(service, { model: MODEL, input: "/say Begun\n/hang" });
  await stream.sees("response.output_text.delta");
  const cancelled = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
  assert.equal(cancelled.json.status, "cancelled");
  assert.ok(cancelled.json.usage.input_tokens > 0 && cancelled.json.usage.output_tokens > 0);
  await until("the provider's connection to close", () => calls()[0]?.isAborted === true);
  await stream.closed;
});
