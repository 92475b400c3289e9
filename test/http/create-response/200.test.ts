// POST /v1/responses, served: the response object field by field. @spec resources/response-object
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Check } from "typebox/value";
import { ResponseObject } from "../../../src/contract/resources.ts";
import { calls, FINISHED, says, USAGE } from "../../support/scripted-provider.ts";
import { TestService, testModel, TEST_MODELS } from "../../support/service.ts";

const service = await TestService.start({
  models: [...TEST_MODELS, testModel("test/effort", { thinking: { effort: "low" } }), testModel("other/all")],
});
after(() => service.close());

const TOOL = {
  type: "function",
  name: "look_up",
  description: "Looks up",
  parameters: { type: "object" },
  strict: true,
};

test("a first turn of one text answers with every field of the response object", async () => {
  service.provider.plays(says("Hello."));
  const { status, headers, json } = await service.create({ input: "Hi" });
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.match(headers["x-request-id"] ?? "", /./);
  assert.match(json.id, /^resp_\w+$/);
  assert.match(json.output[0].id, /^msg_\w+$/);
  const nowSeconds = Math.floor(service.clock.nowMs() / 1000);
  assert.deepEqual(json, {
    id: json.id,
    object: "response",
    status: "completed",
    created_at: nowSeconds,
    completed_at: nowSeconds,
    background: false,
    conversation: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: null,
    model: "test/all",
    output: [
      {
        type: "message",
        id: json.output[0].id,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hello.", annotations: [], logprobs: [] }],
      },
    ],
    parallel_tool_calls: true,
    presence_penalty: 0,
    frequency_penalty: 0,
    temperature: 1,
    top_p: 1,
    top_logprobs: 0,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: null,
    safety_identifier: null,
    service_tier: "default",
    store: true,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    truncation: "disabled",
    usage: USAGE,
  });
  assert.ok(Check(ResponseObject, json));
});

test("a retrieve answers with the same object", async () => {
  const created = await service.create({ input: "Hi", metadata: { a: "1" } });
  const retrieved = await service.request("GET", `/v1/responses/${created.json.id}`);
  assert.equal(retrieved.text, created.text);
});

describe("what was sent is echoed", () => {
  const nested = { type: "object", properties: { a: { type: "string" } } };
  const rows: readonly (readonly [string, object, object])[] = [
    ["instructions", { instructions: "Be brief" }, { instructions: "Be brief" }],
    ["empty instructions", { instructions: "" }, { instructions: "" }],
    ["metadata", { metadata: { user: "7", "": "" } }, { metadata: { user: "7", "": "" } }],
    ["empty metadata", { metadata: {} }, { metadata: {} }],
    ["safety_identifier", { safety_identifier: "someone" }, { safety_identifier: "someone" }],
    ["user not", { user: "someone" }, { safety_identifier: null, user: undefined }],
    ["max_output_tokens", { max_output_tokens: 16 }, { max_output_tokens: 16 }],
    ["max_output_tokens above the model's maximum", { max_output_tokens: 9_000_000 }, { max_output_tokens: 8_000 }],
    ["max_tool_calls", { max_tool_calls: 1 }, { max_tool_calls: 1 }],
    ["parallel_tool_calls", { parallel_tool_calls: false }, { parallel_tool_calls: false }],
    ["temperature", { temperature: 0 }, { temperature: 0 }],
    ["top_p", { top_p: 0.5 }, { top_p: 0.5 }],
    ["presence_penalty", { presence_penalty: -2 }, { presence_penalty: -2 }],
    ["frequency_penalty", { frequency_penalty: 2 }, { frequency_penalty: 2 }],
    ["truncation", { truncation: "auto" }, { truncation: "auto" }],
    ["verbosity", { text: { verbosity: "low" } }, { text: { format: { type: "text" }, verbosity: "low" } }],
    [
      "text.format",
      { text: { format: { type: "json_schema", name: "n", schema: nested, strict: true } } },
      { text: { format: { type: "json_schema", name: "n", schema: nested, strict: true }, verbosity: "medium" } },
    ],
    [
      "tools, all five keys",
      { tools: [{ type: "function", name: "f" }] },
      {
        tools: [{ type: "function", name: "f", description: null, parameters: null, strict: null }],
      },
    ],
    ["tools as sent", { tools: [TOOL], tool_choice: "none" }, { tools: [TOOL], tool_choice: "none" }],
    ["tool_choice required", { tools: [TOOL], tool_choice: "required" }, { tool_choice: "required" }],
    [
      "tool_choice of a function",
      { tools: [TOOL], tool_choice: { type: "function", name: "look_up" } },
      {
        tool_choice: { type: "function", name: "look_up" },
      },
    ],
    [
      "tool_choice of allowed tools, with its mode",
      {
        tools: [TOOL],
        tool_choice: { type: "allowed_tools", tools: [{ type: "function", name: "look_up" }] },
      },
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "look_up" }] } },
    ],
    ["prompt_cache_key not", { prompt_cache_key: "k" }, { prompt_cache_key: null }],
    ...["auto", "default", "flex", "priority"].map(
      (tier) =>
        [`service_tier ${tier} as the single tier`, { service_tier: tier }, { service_tier: "default" }] as const,
    ),
    ["store", { store: true }, { store: true }],
    ["background", { background: false }, { background: false }],
  ];
  for (const [name, sent, echoed] of rows) {
    test(name, async () => {
      service.provider.plays(says('{"a":"b"}'));
      const { status, text, json } = await service.create({ input: "Hi", ...sent });
      assert.equal(status, 200, text);
      for (const [field, value] of Object.entries(echoed)) assert.deepEqual(json[field], value, field);
      assert.equal(json["svc:warnings"], undefined);
    });
  }
});

test("optional fields sent as null or empty are taken for absent", async () => {
  const empty = Object.fromEntries(
    [
      "previous_response_id",
      "conversation",
      "instructions",
      "metadata",
      "safety_identifier",
      "user",
      "tools",
      "tool_choice",
      "parallel_tool_calls",
      "max_tool_calls",
      "max_output_tokens",
      "truncation",
      "stream",
      "stream_options",
      "temperature",
      "top_p",
      "presence_penalty",
      "frequency_penalty",
      "text",
      "top_logprobs",
      "include",
      "prompt_cache_key",
      "service_tier",
      "background",
      "store",
      "reasoning",
      "starting_after",
    ].map((field) => [field, null]),
  );
  for (const body of [
    empty,
    { text: {}, tools: [], include: [], user: "" },
    { text: { format: null, verbosity: null } },
    { stream_options: { include_obfuscation: null } },
  ]) {
    const { status, text } = await service.create({ input: "Hi", ...body });
    assert.equal(status, 200, text);
  }
});

test("a model may be named by its bare form; the response reports the whole id", async () => {
  const bare = await service.create({ input: "Hi", model: "group-a" });
  assert.equal(bare.json.model, "test/group-a");
  // Two models have this bare form: the first of the catalog is meant.
  const shared = await service.create({ input: "Hi", model: "all" });
  assert.equal(shared.json.model, "test/all");
});

test("model and max_output_tokens are carried to later turns until another is sent; instructions never are", async () => {
  const first = await service.create({ input: "1", model: "test/all", max_output_tokens: 7000, instructions: "once" });
  const later = { model: undefined, previous_response_id: first.json.id };
  const second = await service.create({ input: "2", ...later });
  assert.deepEqual(
    [second.json.model, second.json.max_output_tokens, second.json.instructions],
    ["test/all", 7000, null],
  );
  assert.equal(service.provider.calls.at(-1)?.prompt.instructions, null);
  const switched = await service.create({ input: "2", ...later, model: "test/small", max_output_tokens: 400 });
  const third = await service.create({ input: "3", model: undefined, previous_response_id: switched.json.id });
  assert.deepEqual([third.json.model, third.json.max_output_tokens], ["test/small", 400]);
});

test("a carried max_output_tokens is clamped anew to the model of each turn", async () => {
  const first = await service.create({ input: "1", max_output_tokens: 900 });
  const small = await service.create({ input: "2", model: "test/small", previous_response_id: first.json.id });
  assert.equal(small.json.max_output_tokens, 500);
  const back = await service.create({ input: "3", model: "test/all", previous_response_id: small.json.id });
  assert.equal(back.json.max_output_tokens, 900);
});

test("an early end is incomplete, with its reason", async () => {
  service.provider.plays([
    [{ type: "text", text: "Hel" }],
    [
      { type: "usage", usage: USAGE },
      { type: "finished", incompleteReason: "max_output_tokens" },
    ],
  ]);
  const { status, json } = await service.create({ input: "Hi", max_output_tokens: 16 });
  assert.equal(status, 200);
  assert.equal(json.status, "incomplete");
  assert.deepEqual(json.incomplete_details, { reason: "max_output_tokens" });
  assert.equal(json.output[0].status, "incomplete");
  assert.deepEqual([json.error, json.usage], [null, USAGE]);
  const next = await service.create({ input: "Go on", previous_response_id: json.id });
  assert.equal(next.status, 200);
});

test("a provider that does not stop at max_output_tokens is stopped", async () => {
  service.provider.plays([[{ type: "text", text: "x".repeat(5000) }], new Promise(() => {})]);
  const { json } = await service.create({ input: "Hi", max_output_tokens: 16 });
  assert.deepEqual([json.status, json.incomplete_details], ["incomplete", { reason: "max_output_tokens" }]);
  assert.equal(json.usage.output_tokens, 16);
});

test("without max_output_tokens an answer may be as long as its model's own", async () => {
  // A wire that leaves the model's default allowance out (here 100 tokens) lets it pass that by far; 500 are its most.
  const model = "test/small";
  service.provider.plays(says("x".repeat(7_900)));
  const { json } = await service.create({ model, input: "Hi" });
  assert.deepEqual([json.status, json.max_output_tokens, json.usage], ["completed", null, USAGE]);
  service.provider.plays([[{ type: "text", text: "x".repeat(8_001) }], new Promise(() => {})]);
  const { json: stopped } = await service.create({ model, input: "Hi" });
  assert.deepEqual([stopped.status, stopped.incomplete_details], ["incomplete", { reason: "max_output_tokens" }]);
  assert.equal(stopped.usage.output_tokens, 500);
});

test("stopped at max_output_tokens, what a provider counted at its start is not taken for its output", async () => {
  const early = { ...USAGE, input_tokens: 7, output_tokens: 1, total_tokens: 8 };
  service.provider.plays([
    [
      { type: "usage", usage: early },
      { type: "text", text: "x".repeat(5000) },
    ],
    new Promise(() => {}),
  ]);
  const { json } = await service.create({ input: "Hi", max_output_tokens: 16 });
  assert.equal(json.status, "incomplete");
  assert.deepEqual([json.usage.input_tokens, json.usage.output_tokens, json.usage.total_tokens], [7, 16, 23]);
});

test("a model that declines completes, its refusal part behind the text produced before", async () => {
  service.provider.plays([
    [
      { type: "text", text: "Well." },
      { type: "refusal", text: "I will not." },
    ],
    [
      { type: "usage", usage: USAGE },
      { type: "finished", incompleteReason: null },
    ],
  ]);
  const { json } = await service.create({ input: "Hi" });
  assert.equal(json.status, "completed");
  assert.deepEqual(json.output[0].content, [
    { type: "output_text", text: "Well.", annotations: [], logprobs: [] },
    { type: "refusal", refusal: "I will not." },
  ]);
});

test("citations, calls and reasoning stand in the output in their order", async () => {
  const annotation = {
    type: "url_citation" as const,
    url: "https://a.example",
    title: "A",
    start_index: 0,
    end_index: 2,
  };
  service.provider.plays([
    [{ type: "reasoning", summary: ["thought"], encryptedContent: "opaque" }],
    [
      { type: "text", text: "Ok" },
      { type: "annotation", annotation },
    ],
    ...(calls({ callId: "call_1", args: '{"q":1}' }) as readonly []),
  ]);
  const { json } = await service.create({ input: "Hi", tools: [TOOL] });
  const [reasoning, message, call] = json.output;
  assert.match(reasoning.id, /^rs_/);
  assert.match(call.id, /^fc_/);
  assert.deepEqual(json.output, [
    { type: "reasoning", id: reasoning.id, summary: [{ type: "summary_text", text: "thought" }] },
    {
      type: "message",
      id: message.id,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Ok", annotations: [annotation], logprobs: [] }],
    },
    {
      type: "function_call",
      id: call.id,
      call_id: "call_1",
      name: "look_up",
      arguments: '{"q":1}',
      status: "completed",
    },
  ]);
});

test("reasoning reports what its provider applies of what the catalog says", async () => {
  const none = await service.create({ input: "Hi" });
  const effort = await service.create({ input: "Hi", model: "test/effort" });
  const budget = await service.create({ input: "Hi", model: "test/thinking" });
  assert.deepEqual(
    [none, effort, budget].map(({ json }) => json.reasoning),
    [null, { effort: "low", summary: null }, null],
  );
});

test("include reasoning.encrypted_content alone shows it; each answer to its own question", async () => {
  const part = { type: "reasoning", summary: [], encryptedContent: "opaque" } as const;
  const script = [[part, { type: "finished", incompleteReason: null }]] as const;
  service.provider.plays(script, script);
  const include = ["reasoning.encrypted_content"];
  const shown = await service.create({ input: "Hi", include });
  const hidden = await service.create({ input: "Hi" });
  assert.equal(shown.json.output[0].encrypted_content, "opaque");
  assert.equal("encrypted_content" in hidden.json.output[0], false);
  const path = `/v1/responses/${hidden.json.id}`;
  const asked = await service.request("GET", `${path}?include=reasoning.encrypted_content`);
  assert.equal(asked.json.output[0].encrypted_content, "opaque");
  const unasked = await service.request("GET", path);
  assert.equal("encrypted_content" in unasked.json.output[0], false);
});

test("an end user is sent as a keyed hash, safety_identifier before user, and said where it can't be", async () => {
  const hashes: (string | null | undefined)[] = [];
  for (const body of [{ safety_identifier: "someone", user: "other" }, { user: "someone" }, { user: "other" }, {}]) {
    await service.create({ input: "Hi", ...body });
    hashes.push(service.provider.calls.at(-1)?.prompt.endUserHash);
  }
  assert.match(hashes[0] ?? "", /^[0-9a-f]{32,}$/);
  assert.equal(hashes[0], hashes[1]);
  assert.notEqual(hashes[1], hashes[2]);
  assert.equal(hashes[3], null);

  const unsent = await service.create({ input: "Hi", model: "test/group-b", safety_identifier: "someone" });
  assert.equal(service.provider.calls.at(-1)?.prompt.endUserHash, null);
  assert.equal(unsent.json.safety_identifier, "someone");
  assert.deepEqual(
    unsent.json["svc:warnings"].map(({ code, param }: { code: string; param: string }) => [code, param]),
    [["safety_identifier_not_sent", "safety_identifier"]],
  );
});

test("output that breaks its json_schema is returned as it came, with a warning", async () => {
  const schema = { type: "object", required: ["a"] };
  service.provider.plays(says('{"b":1}'), says('{"a":1}'));
  const text = { format: { type: "json_schema", schema } };
  const broken = await service.create({ input: "Hi", text });
  assert.equal(broken.json.output[0].content[0].text, '{"b":1}');
  assert.equal(broken.json["svc:warnings"][0].code, "output_not_valid");
  const kept = await service.create({ input: "Hi", text });
  assert.equal("svc:warnings" in kept.json, false);
  // Words before a call are not the answer, which is still to come.
  service.provider.plays([
    [
      { type: "text", text: "Let me look." },
      { type: "call_started", index: 0, callId: "c", name: "look_up" },
      { type: "call_arguments", index: 0, delta: "{}" },
      { type: "call_finished", index: 0 },
    ],
    FINISHED,
  ]);
  const calling = await service.create({ input: "Hi", text, tools: [TOOL] });
  assert.deepEqual(
    calling.json.output.map(({ type }: { type: string }) => type),
    ["message", "function_call"],
  );
  assert.equal("svc:warnings" in calling.json, false);
  // Nor is a commentary.
  service.provider.plays([
    [
      { type: "message_started", phase: "commentary" },
      { type: "text", text: "Let me think." },
      { type: "message_started", phase: "final_answer" },
      { type: "text", text: '{"a":1}' },
    ],
    FINISHED,
  ]);
  const commented = await service.create({ input: "Hi", text });
  assert.equal(commented.json.output.length, 2);
  assert.equal("svc:warnings" in commented.json, false);
});

test("the body is read as JSON whatever its Content-Type says", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "nonsense",
  ]) {
    const answer = await service.create({ input: "Hi" }, { headers: { "content-type": type } });
    assert.equal(answer.status, 200, type);
  }
  const bytes = new TextEncoder().encode(JSON.stringify({ model: "test/all", input: "Grüße 👋" }));
  const { status } = await service.request("POST", "/v1/responses", {
    body: bytes,
    headers: { "content-encoding": "identity" },
  });
  assert.equal(status, 200);
  assert.deepEqual(service.provider.calls.at(-1)?.prompt.items, [{ type: "message", role: "user", text: "Grüße 👋" }]);
});

test("a request's own x-request-id is not taken over", async () => {
  const { headers } = await service.create({ input: "Hi" }, { headers: { "x-request-id": "mine" } });
  assert.notEqual(headers["x-request-id"], "mine");
});

test("counters never run backwards: completed_at is not before created_at", async () => {
  const { json } = await service.create({ input: "Hi" });
  assert.ok(json.completed_at >= json.created_at);
});
