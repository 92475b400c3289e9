// Tools, their schemas and their choice.
import assert from "node:assert/strict";
import test from "node:test";
import type { EchoedToolChoice } from "../../contract/tools.ts";
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import { sampleModel, samplePrompt, sampleTool, userMessage } from "../../../test/support/provider-samples.ts";
import { encode, unsupportedOf } from "./encode.ts";

const model = sampleModel({
  upstreamModel: "claude-opus-5",
  thinking: { effort: "high" },
  cachesPrompts: false,
});

const request = (input: string | readonly PromptItem[], changes: Partial<Prompt> = {}) =>
  encode(model, samplePrompt(input, changes)).request;

const thinking = { type: "adaptive", display: "summarized" };

const exchange: readonly PromptItem[] = [
  { type: "call", callId: "a", name: null, arguments: "{}" },
  { type: "result", callId: "a", name: null, output: "1" },
  userMessage("?"),
];

test("every form of tool_choice is encoded, with parallel calls and without", () => {
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

test("a forced call turns thinking off, any other choice leaves it on", () => {
  const tools = [sampleTool("a")];
  assert.deepEqual(request("?", { tools, toolChoice: "required" }).thinking, { type: "disabled" });
  assert.deepEqual(request("?", { tools, toolChoice: "auto" }).thinking, thinking);
  assert.deepEqual(request("?", { tools, toolChoice: "none" }).thinking, thinking);
});

test("a strict tool is a plain one where the provider takes none, with any schema", () => {
  const parameters = { type: "object", properties: { a: { type: "string", minLength: 2 } }, additionalProperties: {} };
  const prompt = samplePrompt("?", { tools: [{ ...sampleTool("t", parameters), strict: true }] });
  const plain = { ...model, takesStrictTools: false };
  assert.deepEqual(encode(plain, prompt).request.tools, [{ name: "t", input_schema: parameters }]);
  assert.equal(unsupportedOf(plain, prompt), null);
  assert.equal(unsupportedOf(model, prompt)?.param, "tools");
});

test("a tool keeps its schema; a strict tool's schema is limited to the keywords that the wire enforces", () => {
  const schema = { type: "object", properties: { a: { type: "string", minLength: 1 } } };
  const tools = [
    sampleTool("bare"),
    { ...sampleTool("full", schema), description: "Does.", strict: false },
    { ...sampleTool("strict", schema), strict: true },
    sampleTool("typeless", { properties: {} }),
  ];
  assert.deepEqual(request("?", { tools }).tools, [
    { name: "bare", input_schema: { type: "object", properties: {} } },
    { name: "full", description: "Does.", input_schema: schema },
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

test("a choice of schemas at the root of a tool's schema moves into the description", () => {
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

test("a strict tool has one object at its root, or is a 400", () => {
  const [a, b] = [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "null" } } }];
  const strict = (parameters: object) =>
    samplePrompt("?", { tools: [{ ...sampleTool("t", { ...parameters }), strict: true }] });
  const both = { type: "object", properties: { ...a.properties, ...b.properties }, additionalProperties: false };
  const rows: [object, object | string][] = [
    [{}, { type: "object", properties: {}, additionalProperties: false }],
    [{ allOf: [a, b] }, both],
    [
      { $ref: "#/$defs/a", $defs: { a }, ...b },
      { ...both, $defs: { a: { ...a, additionalProperties: false } } },
    ],
    [
      { ...a, anyOf: [{ required: ["a"] }] },
      { type: "object", ...a, additionalProperties: false, description: '{anyOf: [{"required":["a"]}]}' },
    ],
    [
      { anyOf: [a, b] },
      "tools[0].parameters has anyOf: the model test/model supports no objects of several schemas that cannot be merged into one. Write each object as one schema, or leave out strict.",
    ],
    [
      { ...a, required: ["b"] },
      "tools[0].parameters has required: the model test/model supports no objects with keys that are not named. Name the keys in properties, or leave out strict.",
    ],
  ];
  for (const [parameters, expected] of rows) {
    const prompt = strict(parameters);
    const unsupported = unsupportedOf({ ...model, id: "test/model" }, prompt);
    if (typeof expected === "string") assert.deepEqual(unsupported, { param: "tools", message: expected });
    else {
      assert.equal(unsupported, null);
      assert.deepEqual(encode(model, prompt).request.tools?.[0]?.input_schema, expected);
    }
  }
});

test("the schemas of all strict tools together are too large to be merged", () => {
  const properties = { a: { type: "string", description: "x".repeat(400_000) } };
  const parameters = { type: "object", properties, allOf: [{ $ref: "#/$defs/b" }], $defs: { b: { properties } } };
  const tools = ["a", "b", "c"].map((name) => ({ ...sampleTool(name, parameters), strict: true }));
  const named = { ...model, id: "test/model" };
  assert.equal(unsupportedOf(named, samplePrompt("?", { tools: tools.slice(1) })), null);
  assert.deepEqual(unsupportedOf(named, samplePrompt("?", { tools })), {
    param: "tools",
    message:
      "tools[2].parameters has allOf: the model test/model supports no schemas that are this large once their references and choices are merged. Write shorter ones, or leave out strict.",
  });
});

test("names that the wire rejects are mapped in tools, choice and history alike, and back", () => {
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

test("a history with calls adds a tool that may not be called; one without adds none", () => {
  const { tools, tool_choice: choice } = request(exchange);
  assert.deepEqual(
    tools?.map(({ name }) => name),
    ["tool"],
  );
  assert.deepEqual(choice, { type: "none" });
  assert.equal(request("?").tools, undefined);
  // The turn's own tools suffice.
  assert.deepEqual(
    request(exchange, { tools: [sampleTool("a")] }).tools?.map(({ name }) => name),
    ["a"],
  );
});
