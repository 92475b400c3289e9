import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { EchoedToolChoice } from "../../contract/tools.ts";
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import { sampleModel, samplePrompt, sampleTool, userMessage } from "../../../test/support/provider-samples.ts";
import { REASONING_EFFORTS } from "../../contract/settings.ts";
import { encode, reasoningOf } from "./encode.ts";
import { createRoundState } from "./round-state.ts";
import { stateOf } from "../../../test/support/prompt-items.ts";

const model = sampleModel({ upstreamModel: "claude-opus-5", thinking: { effort: "high" } });

const request = (input: string | readonly PromptItem[], changes: Partial<Prompt> = {}) =>
  encode(model, samplePrompt(input, changes)).request;

const thinking = { type: "adaptive", display: "summarized" };

test("a prompt without settings sends only what the wire requires", () => {
  assert.deepEqual(request("Hi"), {
    model: "claude-opus-5",
    max_tokens: 2_000,
    stream: true,
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    thinking,
    output_config: { effort: "high" },
  });
});

test("instructions precede the client's system messages", () => {
  const items: PromptItem[] = [{ type: "message", role: "developer", text: "Second." }, userMessage("Hi")];
  const systemOf = (input: string | readonly PromptItem[], changes: Partial<Prompt>) =>
    encode({ ...model, cachesPrompts: false }, samplePrompt(input, changes)).request.system;
  assert.equal(systemOf(items, { instructions: "First." }), "First.\n\nSecond.");
  assert.equal(systemOf(items, {}), "Second.");
  assert.equal(systemOf(items, { instructions: " \n" }), "Second.");
  assert.equal(systemOf("Hi", { instructions: " " }), undefined);
});

test("the end user is sent as a hash", () => {
  assert.deepEqual(request("Hi", { endUserHash: "abc" }).metadata, { user_id: "abc" });
  const without = sampleModel({ hasEndUserField: false });
  assert.equal(encode(without, samplePrompt("Hi", { endUserHash: "abc" })).request.metadata, undefined);
});

test("a model with a budget does not think within another model's turn", () => {
  const older = sampleModel({ upstreamModel: "claude-haiku-4-5", thinking: { budgetTokens: 1_500 } });
  const call: PromptItem = { type: "call", callId: "a", name: "look", arguments: "{}" };
  const result: PromptItem = { type: "result", callId: "a", name: "look", output: "1" };
  const thought = { type: "thinking" as const, thinking: "Hm.", signature: "s" };
  const state = stateOf(createRoundState([thought, { type: "call", callId: "a" }]), "a");
  const thinkingOf = (...items: PromptItem[]) => encode(older, samplePrompt(items)).request.thinking?.type;
  assert.equal(thinkingOf(userMessage("?"), call, result), undefined);
  assert.equal(thinkingOf(userMessage("?"), state, call, result), "enabled");
  const answer: PromptItem = { type: "assistant", text: "1", isRefusal: false, phase: null };
  assert.equal(thinkingOf(userMessage("?"), call, result, answer, userMessage("!")), "enabled");
});

test("a round that cannot think is sent without the turn's earlier thinking", () => {
  const thought = { type: "thinking" as const, thinking: "Hm.", signature: "s" };
  const hidden = { type: "redacted_thinking" as const, data: "d" };
  const items: PromptItem[] = [
    userMessage("?"),
    stateOf(createRoundState([thought, hidden, { type: "call", callId: "a" }]), "a"),
    { type: "call", callId: "a", name: "look", arguments: "{}" },
    { type: "result", callId: "a", name: "look", output: "1" },
  ];
  const typesOf = (upstreamModel: string, entry: CatalogModel["thinking"], changes: Partial<Prompt>) => {
    const thinker = sampleModel({ upstreamModel, thinking: entry });
    const [, answer] = encode(thinker, samplePrompt(items, { tools: [sampleTool("look")], ...changes })).request
      .messages;
    return answer?.role === "assistant" && answer.content.map(({ type }) => type);
  };
  const budget = { budgetTokens: 2_000 };
  const high = { effort: "high" } as const;
  const small = { maxOutputTokens: 500 };
  const forced = { toolChoice: "required" } as const;
  const whole = ["thinking", "redacted_thinking", "tool_use"];
  const rows: [string, CatalogModel["thinking"], Partial<Prompt>, string[]][] = [
    ["claude-haiku-4-5", budget, {}, whole],
    ["claude-haiku-4-5", budget, small, ["tool_use"]],
    ["claude-haiku-4-5", budget, forced, ["tool_use"]],
    ["claude-next", budget, small, ["tool_use"]],
    ["claude-opus-5", high, small, whole],
    ["claude-opus-5", high, forced, ["tool_use"]],
    // The request asked for no thinking and the model thought: again nothing is sent.
    ["claude-next", "none", {}, whole],
  ];
  for (const [upstreamModel, entry, changes, types] of rows) {
    assert.deepEqual(typesOf(upstreamModel, entry, changes), types, `${upstreamModel} ${JSON.stringify(changes)}`);
  }
});

test("constrained output is sent beside the effort", () => {
  const schema = { type: "object", properties: { n: { type: "integer", minimum: 0 } }, required: ["n"] };
  const format = { type: "json_schema" as const, name: "answer", description: "An answer.", schema, strict: true };
  assert.deepEqual(request("?", { format }).output_config, {
    effort: "high",
    format: {
      type: "json_schema",
      schema: {
        type: "object",
        properties: { n: { type: "integer", description: "{minimum: 0}" } },
        required: ["n"],
        additionalProperties: false,
        description: "An answer.",
      },
    },
  });
  const plain = sampleModel({ upstreamModel: "claude-opus-4-8" });
  assert.equal(encode(plain, samplePrompt("?", { format: { type: "text" } })).request.output_config, undefined);
});

test("a bound model's request drops thinking that no longer matches", () => {
  const encoded = encode(
    sampleModel({ upstreamModel: "claude-haiku-5-5", thinking: { effort: "low" } }),
    samplePrompt("?"),
  );
  assert.deepEqual(encoded.betas, ["thinking-binding-controls-2026-08-01"]);
  assert.deepEqual(encoded.request.thinking, {
    ...thinking,
    block_binding: { prefix_mismatch_behavior: "drop_block" },
  });
  assert.deepEqual(encode(model, samplePrompt("?")).betas, []);
});

test("exchanges that ended in a refusal are left out, with a warning", () => {
  const items: PromptItem[] = [
    userMessage("1"),
    { type: "assistant", text: "", isRefusal: true, phase: null },
    userMessage("2"),
  ];
  const encoded = encode(model, samplePrompt(items));
  assert.deepEqual(encoded.request.messages, [{ role: "user", content: [{ type: "text", text: "2" }] }]);
  assert.deepEqual(
    encoded.warnings.map(({ code }) => code),
    ["declined_exchanges_not_sent"],
  );
  assert.deepEqual(encode(model, samplePrompt("?")).warnings, []);
});

test("the reported reasoning is the one that the request asks for", () => {
  const tools = [sampleTool("look")];
  const answered: PromptItem[] = [
    { type: "message", role: "user", text: "Look" },
    { type: "call", callId: "c", name: "look", arguments: "{}" },
    { type: "result", callId: "c", name: "look", output: "seen" },
  ];
  const choices: readonly EchoedToolChoice[] = [
    "none",
    "required",
    { type: "function", name: "look" },
    { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "look" }] },
  ];
  const prompts = [
    samplePrompt("Hi"),
    samplePrompt("Hi", { tools }),
    ...choices.map((toolChoice) => samplePrompt("Hi", { tools, toolChoice })),
    samplePrompt(answered, { tools }),
    samplePrompt(answered),
  ];
  const thoughts = [{ budgetTokens: 2_000 }, { effort: "high" }, "none"] as const;
  for (const upstreamModel of ["claude-opus-5", "claude-haiku-4-5", "claude-opus-5-5", "claude-next"]) {
    for (const entry of thoughts) {
      const thinker = sampleModel({ upstreamModel, thinking: entry });
      for (const prompt of prompts) {
        const sent = encode(thinker, { ...prompt, maxOutputTokens: 8_000 }).request;
        const reported = reasoningOf(thinker, { ...prompt, maxOutputTokens: 8_000 });
        const thinks = sent.thinking !== undefined && sent.thinking.type !== "disabled";
        assert.equal(reported?.summary === "auto", thinks, `${upstreamModel} ${JSON.stringify(prompt.toolChoice)}`);
        if (sent.thinking?.type === "adaptive") assert.equal(reported?.effort, sent.output_config?.effort);
        if (reported !== null) assert.ok(REASONING_EFFORTS.includes(reported.effort));
      }
    }
  }
});
