// POST /v1/responses that succeeds: what the model said, as the output of the response. @spec resources/response-object, resources/output-items
import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, FINISHED, says, USAGE } from "../../support/scripted-provider.ts";
import { testModel, TEST_MODELS } from "../../support/service-config.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile({
  models: [...TEST_MODELS, testModel("test/effort", { thinking: { effort: "low" } }), testModel("other/all")],
});

const TOOL = {
  type: "function",
  name: "look_up",
  description: "Looks up",
  parameters: { type: "object" },
  strict: true,
};

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

test("without max_output_tokens an output may be as long as the model's maximum", async () => {
  // A wire may leave out the model's default limit (here 100 tokens); its maximum is 500.
  const model = "test/small";
  service.provider.plays(says("x".repeat(7_900)));
  const { json } = await service.create({ model, input: "Hi" });
  assert.deepEqual([json.status, json.max_output_tokens, json.usage], ["completed", null, USAGE]);
  service.provider.plays([[{ type: "text", text: "x".repeat(8_001) }], new Promise(() => {})]);
  const { json: stopped } = await service.create({ model, input: "Hi" });
  assert.deepEqual([stopped.status, stopped.incomplete_details], ["incomplete", { reason: "max_output_tokens" }]);
  assert.equal(stopped.usage.output_tokens, 500);
});

test("at max_output_tokens, a count that the provider reported at its start is not the usage", async () => {
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

test("a refusal completes the response, with the refusal part after the text", async () => {
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

test("citations, calls and reasoning are in the output in their order", async () => {
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
    ...calls({ callId: "call_1", args: '{"q":1}' }),
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

test("reasoning reports the part of the catalog's thinking that the provider applies", async () => {
  const none = await service.create({ input: "Hi" });
  const effort = await service.create({ input: "Hi", model: "test/effort" });
  const budget = await service.create({ input: "Hi", model: "test/thinking" });
  assert.deepEqual(
    [none, effort, budget].map(({ json }) => json.reasoning),
    [null, { effort: "low", summary: null }, null],
  );
});

test("encrypted_content is shown only with include, decided by each request", async () => {
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

test("output that breaks its json_schema is returned unchanged, with a warning", async () => {
  const schema = { type: "object", required: ["a"] };
  service.provider.plays(says('{"b":1}'), says('{"a":1}'));
  const text = { format: { type: "json_schema", schema } };
  const broken = await service.create({ input: "Hi", text });
  assert.equal(broken.json.output[0].content[0].text, '{"b":1}');
  assert.equal(broken.json["svc:warnings"][0].code, "output_not_valid");
  const kept = await service.create({ input: "Hi", text });
  assert.equal("svc:warnings" in kept.json, false);
  // Text before a call is not the final answer.
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
  // Neither is a commentary.
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
