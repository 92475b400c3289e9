import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/catalog.ts";
import type { EchoedToolChoice } from "../../contract/tools.ts";
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import { sampleModel, samplePrompt, sampleTool, userMessage } from "../../../test/support/provider-samples.ts";
import { encode, reasoningOf } from "./encode.ts";
import { createRoundState } from "./round-state.ts";

const model = sampleModel({ upstreamModel: "claude-opus-5", thinking: { effort: "high" } });
const request = (input: string | readonly PromptItem[], changes: Partial<Prompt> = {}) =>
  encode(model, samplePrompt(input, changes)).request;

const thinking = { type: "adaptive", display: "summarized" };
const exchange: readonly PromptItem[] = [
  { type: "call", callId: "a", name: null, arguments: "{}" },
  { type: "result", callId: "a", name: null, output: "1" },
  userMessage("?"),
];

test("a prompt in which nothing is set sends what the wire asks for", () => {
  assert.deepEqual(request("Hi"), {
    model: "claude-opus-5",
    max_tokens: 2_000,
    stream: true,
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    thinking,
    output_config: { effort: "high" },
  });
});

test("instructions stand before what a client told the model", () => {
  const items: PromptItem[] = [{ type: "message", role: "developer", text: "Second." }, userMessage("Hi")];
  assert.equal(request(items, { instructions: "First." }).system, "First.\n\nSecond.");
  assert.equal(request(items).system, "Second.");
  assert.equal(request(items, { instructions: " \n" }).system, "Second.");
  assert.equal(request("Hi", { instructions: " " }).system, undefined);
});

test("the end user goes as the hash", () => {
  assert.deepEqual(request("Hi", { endUserHash: "abc" }).metadata, { user_id: "abc" });
  const without = sampleModel({ hasEndUserField: false });
  assert.equal(encode(without, samplePrompt("Hi", { endUserHash: "abc" })).request.metadata, undefined);
});

test("every form of tool_choice, with parallel calls and without", () => {
  const tools = [sampleTool("a"), sampleTool("b"), sampleTool("c")];
  const allowed = (mode: "auto" | "required"): EchoedToolChoice => ({
    type: "allowed_tools",
    mode,
    tools: [
      { type: "function", name: "c" },
      { type: "function", name: "a" },
    ],
  });
  const off = { disable_parallel_tool_use: true };
  const rows: [EchoedToolChoice, string[], object | undefined, object | undefined][] = [
    ["auto", ["a", "b", "c"], undefined, { type: "auto", ...off }],
    ["none", ["a", "b", "c"], { type: "none" }, { type: "none" }],
    ["required", ["a", "b", "c"], { type: "any" }, { type: "any", ...off }],
    [
      { type: "function", name: "b" },
      ["a", "b", "c"],
      { type: "tool", name: "b" },
      { type: "tool", name: "b", ...off },
    ],
    [allowed("auto"), ["a", "c"], undefined, { type: "auto", ...off }],
    [allowed("required"), ["a", "c"], { type: "any" }, { type: "any", ...off }],
  ];
  for (const [toolChoice, offered, parallel, single] of rows) {
    const one = request("?", { tools, toolChoice, parallelToolCalls: false });
    assert.deepEqual(
      one.tools?.map(({ name }) => name),
      offered,
    );
    assert.deepEqual(one.tool_choice, single);
    assert.deepEqual(request("?", { tools, toolChoice }).tool_choice, parallel);
    assert.deepEqual(request("?", { tools, toolChoice, parallelToolCalls: true }).tool_choice, parallel);
  }
});

test("a forced call turns thinking off, every other leaves it on", () => {
  const tools = [sampleTool("a")];
  assert.deepEqual(request("?", { tools, toolChoice: "required" }).thinking, { type: "disabled" });
  assert.deepEqual(request("?", { tools, toolChoice: "auto" }).thinking, thinking);
  assert.deepEqual(request("?", { tools, toolChoice: "none" }).thinking, thinking);
});

test("a model with a budget does not think in the midst of another model's turn", () => {
  const older = sampleModel({ upstreamModel: "claude-haiku-4-5", thinking: { budgetTokens: 1_500 } });
  const call: PromptItem = { type: "call", callId: "a", name: "look", arguments: "{}" };
  const result: PromptItem = { type: "result", callId: "a", name: "look", output: "1" };
  const thought = { type: "thinking" as const, thinking: "Hm.", signature: "s" };
  const state: PromptItem = { type: "state", state: createRoundState([thought, { type: "call", callId: "a" }]) };
  const thinkingOf = (...items: PromptItem[]) => encode(older, samplePrompt(items)).request.thinking?.type;
  assert.equal(thinkingOf(userMessage("?"), call, result), undefined);
  assert.equal(thinkingOf(userMessage("?"), state, call, result), "enabled");
  const answer: PromptItem = { type: "answer", text: "1", declined: false, phase: null };
  assert.equal(thinkingOf(userMessage("?"), call, result, answer, userMessage("!")), "enabled");
});

test("a round that can't think is sent without the turn's earlier thoughts", () => {
  const thought = { type: "thinking" as const, thinking: "Hm.", signature: "s" };
  const hidden = { type: "redacted_thinking" as const, data: "d" };
  const items: PromptItem[] = [
    userMessage("?"),
    { type: "state", state: createRoundState([thought, hidden, { type: "call", callId: "a" }]) },
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
  const high = { effort: "high" };
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
    // Nobody told it to think, and it did: it is told nothing this time either.
    ["claude-next", "none", {}, whole],
  ];
  for (const [upstreamModel, entry, changes, types] of rows) {
    assert.deepEqual(typesOf(upstreamModel, entry, changes), types, `${upstreamModel} ${JSON.stringify(changes)}`);
  }
});

test("a tool is sent with its schema as it is; a strict one is held to what the wire can hold it to", () => {
  const schema = { type: "object", properties: { a: { type: "string", minLength: 1 } } };
  const tools = [
    sampleTool("bare"),
    { ...sampleTool("full", schema), description: "Does.", strict: false },
    { ...sampleTool("strict", schema), strict: true },
    sampleTool("typeless", { properties: {} }),
  ];
  assert.deepEqual(request("?", { tools }).tools, [
    { name: "bare", input_schema: { type: "object", properties: {} } },
    { name: "full", description: "Does.", input_schema: schema, strict: false },
    {
      name: "strict",
      input_schema: {
        type: "object",
        properties: { a: { type: "string", description: "{minLength: 1}" } },
        additionalProperties: false,
      },
      strict: true,
    },
    { name: "typeless", input_schema: { type: "object", properties: {} } },
  ]);
});

test("a choice of schemas at the root of a tool's schema is told in words: the wire refuses it there", () => {
  const properties = { id: { type: "string" }, url: { anyOf: [{ type: "string" }, { type: "null" }] } };
  const anyOf = [{ required: ["id"] }, { required: ["url"] }];
  const tools = [
    sampleTool("find", { type: "object", description: "One of two.", properties, anyOf }),
    sampleTool("all", { allOf: [{ type: "object" }] }),
  ];
  assert.deepEqual(
    request("?", { tools }).tools?.map((tool) => tool.input_schema),
    [
      { type: "object", properties, description: `One of two.\n\n{anyOf: ${JSON.stringify(anyOf)}}` },
      { type: "object", description: '{allOf: [{"type":"object"}]}' },
    ],
  );
});

test("names that the wire refuses are mapped alike in tools, choice and history, and back", () => {
  const items: PromptItem[] = [
    userMessage("?"),
    { type: "call", callId: "1", name: "a.b", arguments: "{}" },
    { type: "result", callId: "1", name: "a.b", output: "" },
  ];
  const encoded = encode(
    model,
    samplePrompt(items, { tools: [sampleTool("a.b")], toolChoice: { type: "function", name: "a.b" } }),
  );
  assert.equal(encoded.request.tools?.[0]?.name, "a_b");
  assert.deepEqual(encoded.request.tool_choice, { type: "tool", name: "a_b" });
  assert.match(JSON.stringify(encoded.request.messages), /"name":"a_b"/);
  assert.equal(encoded.toolNames.fromWire("a_b"), "a.b");
});

test("a history with calls brings a tool that nobody may call; one without brings none", () => {
  const { tools, tool_choice: choice } = request(exchange);
  assert.deepEqual(
    tools?.map(({ name }) => name),
    ["tool"],
  );
  assert.deepEqual(choice, { type: "none" });
  assert.equal(request("?").tools, undefined);
  // Tools of the turn do as well.
  assert.deepEqual(
    request(exchange, { tools: [sampleTool("a")] }).tools?.map(({ name }) => name),
    ["a"],
  );
});

test("constrained output goes beside the effort", () => {
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

test("a prompt that is likely to come again, longer, is cached", () => {
  const ephemeral = { type: "ephemeral" };
  assert.equal(request("?").cache_control, undefined);
  assert.deepEqual(request("?", { tools: [sampleTool("a")] }).cache_control, ephemeral);
  const items: PromptItem[] = [
    userMessage("1"),
    { type: "answer", text: "one", declined: false, phase: null },
    userMessage("2"),
  ];
  assert.deepEqual(request(items).cache_control, ephemeral);
});

test("a bound model's request says what becomes of thinking that does not fit", () => {
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

test("declined exchanges are left out, and said so", () => {
  const items: PromptItem[] = [
    userMessage("1"),
    { type: "answer", text: "", declined: true, phase: null },
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

test("what is reported of reasoning is what the same prompt is sent with", () => {
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
        if (thinks) assert.equal(reported?.effort, sent.output_config?.effort ?? null);
      }
    }
  }
});
