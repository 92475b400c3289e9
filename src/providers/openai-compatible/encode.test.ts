import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import { sampleModel, samplePrompt, sampleTool, userMessage } from "../../../test/support/provider-samples.ts";
import { encode } from "./encode.ts";

const BARE = {
  model: "llama3.3:70b",
  messages: [{ role: "user", content: "Hi" }],
  stream: true,
  stream_options: { include_usage: true },
};
const encodeWith = (changes: Partial<Prompt>) => encode(sampleModel(), samplePrompt("Hi", changes)).request;

test("settings that are not set are not sent", () => {
  assert.deepEqual(encodeWith({}), BARE);
});

test("every setting is sent under its own name, also zero", () => {
  const prompt: Partial<Prompt> = {
    temperature: 0,
    topP: 0.5,
    presencePenalty: -1,
    frequencyPenalty: 0,
    verbosity: "low",
    maxOutputTokens: 99,
    maxOutputTokensSet: true,
    endUserHash: "ab12",
  };
  assert.deepEqual(encodeWith(prompt), {
    ...BARE,
    temperature: 0,
    top_p: 0.5,
    presence_penalty: -1,
    frequency_penalty: 0,
    verbosity: "low",
    max_tokens: 99,
    user: "ab12",
  });
});

test("the output limit has the name that the model's server takes: the newer one for OpenAI's reasoning models", () => {
  const fieldsFor = (upstreamModel: string) => {
    const prompt = samplePrompt("Hi", { maxOutputTokens: 99, maxOutputTokensSet: true });
    const { request } = encode(sampleModel({ upstreamModel }), prompt);
    return [request.max_tokens, request.max_completion_tokens];
  };
  for (const name of ["gpt-5", "gpt-5.4-mini", "openai/gpt-6.1-terra", "azure/o3", "o4-mini", "us.gpt-10"]) {
    assert.deepEqual(fieldsFor(name), [undefined, 99], name);
  }
  for (const name of [
    "gpt-4o",
    "gpt-4.1",
    "gpt-oss:20b",
    "openai/gpt-oss-120b",
    "mistral-large",
    "olmo3",
    "nanogpt-7b",
  ]) {
    assert.deepEqual(fieldsFor(name), [99, undefined], name);
  }
});

test("the end user is sent only to a model that has a field for it", () => {
  const { request } = encode(sampleModel({ hasEndUserField: false }), samplePrompt("Hi", { endUserHash: "ab12" }));
  assert.deepEqual(request, BARE);
});

test("an effort is sent; a token budget is not, since the wire has none", () => {
  const encodeThinking = (thinking: CatalogModel["thinking"]) =>
    encode(sampleModel({ thinking }), samplePrompt("Hi")).request;
  assert.equal(encodeThinking({ effort: "high" }).reasoning_effort, "high");
  assert.deepEqual(encodeThinking({ budgetTokens: 9 }), BARE);
});

test("a json_schema is sent with a name, and its other fields only when given", () => {
  const schema = { type: "object" };
  assert.deepEqual(encodeWith({ format: { type: "text" } }), BARE);
  assert.deepEqual(encodeWith({ format: { type: "json_schema", schema } }).response_format, {
    type: "json_schema",
    json_schema: { name: "response", schema },
  });
  const whole = { type: "json_schema", name: "person", description: "who", schema, strict: false } as const;
  assert.deepEqual(encodeWith({ format: whole }).response_format, {
    type: "json_schema",
    json_schema: { name: "person", description: "who", schema, strict: false },
  });
  const named = encodeWith({ format: { ...whole, name: "a person" } }).response_format;
  assert.equal(named?.json_schema.name, "a_person");
});

test("tools are sent with the fields they have, and always with parameters", () => {
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const tools = [sampleTool("bare"), { ...sampleTool("full", parameters), description: "what" }];
  assert.deepEqual(encodeWith({ tools }), {
    ...BARE,
    tools: [
      { type: "function", function: { name: "bare", parameters: { type: "object", properties: {} } } },
      { type: "function", function: { name: "full", description: "what", parameters } },
    ],
  });
});

test("tools are strict if all of them are, else strict is not sent", () => {
  const sentFor = (...strict: readonly (boolean | null)[]) =>
    encodeWith({ tools: strict.map((value, at) => ({ ...sampleTool(`t${at}`), strict: value })) }).tools?.map((tool) =>
      Object.hasOwn(tool.function, "strict") ? tool.function.strict : "not sent",
    );
  assert.deepEqual(sentFor(true, true), [true, true]);
  for (const other of [false, null]) {
    assert.deepEqual(sentFor(true, other), ["not sent", "not sent"]);
    assert.deepEqual(sentFor(other, other), ["not sent", "not sent"]);
  }
});

test("each form of tool_choice is encoded", () => {
  const tools = [sampleTool("a"), sampleTool("b"), sampleTool("c")];
  const allowed = [{ name: "c" }, { name: "a" }];
  const rows: [Prompt["toolChoice"], string[], unknown][] = [
    ["auto", ["a", "b", "c"], undefined],
    ["none", ["a", "b", "c"], "none"],
    ["required", ["a", "b", "c"], "required"],
    [{ type: "function", name: "b" }, ["a", "b", "c"], { type: "function", function: { name: "b" } }],
    [{ type: "allowed_tools", mode: "auto", tools: allowed }, ["a", "c"], undefined],
    [{ type: "allowed_tools", mode: "required", tools: allowed }, ["a", "c"], "required"],
  ];
  for (const [toolChoice, names, wireChoice] of rows) {
    const encoded = encodeWith({ tools, toolChoice });
    assert.deepEqual(
      encoded.tools?.map((tool) => tool.function.name),
      names,
    );
    assert.deepEqual(encoded.tool_choice, wireChoice);
    assert.equal("tool_choice" in encoded, wireChoice !== undefined);
  }
});

test("parallel_tool_calls is sent only with tools", () => {
  assert.equal(encodeWith({ tools: [sampleTool("a")], parallelToolCalls: false }).parallel_tool_calls, false);
  assert.deepEqual(encodeWith({ parallelToolCalls: false, toolChoice: "none" }), BARE);
});

test("names that OpenAI's servers reject are mapped in tools, choice and history alike, and back", () => {
  const name = `fs/${"n".repeat(64)}`;
  const { request, toolNames } = encode(
    sampleModel(),
    samplePrompt(
      [
        userMessage("Hi"),
        { type: "call", callId: "1", name, arguments: "{}" },
        { type: "result", callId: "1", name, output: "" },
      ],
      { tools: [sampleTool(name), sampleTool("get.time")], toolChoice: { type: "function", name: "get.time" } },
    ),
  );
  const label = `fs_${"n".repeat(61)}`;
  assert.deepEqual(
    request.tools?.map((tool) => tool.function.name),
    [label, "get_time"],
  );
  assert.deepEqual(request.tool_choice, { type: "function", function: { name: "get_time" } });
  assert.deepEqual(request.messages[1], {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: label, arguments: "{}" } }],
  });
  assert.equal(toolNames.fromWire(label), name);
});

test("the schema of a tool is an object with properties, otherwise unchanged", () => {
  const anyOf = [{ required: ["id"] }];
  const rows: [Record<string, unknown>, unknown][] = [
    [{}, { type: "object", properties: {} }],
    [
      { type: "object", anyOf },
      { type: "object", anyOf, properties: {} },
    ],
  ];
  for (const [parameters, wire] of rows) {
    const { tools } = encodeWith({ tools: [sampleTool("a", parameters)] });
    assert.deepEqual(tools?.[0]?.function.parameters, wire);
  }
});
