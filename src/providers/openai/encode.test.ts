import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import { sampleModel, samplePrompt, sampleTool } from "../../../test/support/provider-samples.ts";
import { encode as encodeRound, type ServerTraits } from "./encode.ts";

const encode = (...args: Parameters<typeof encodeRound>) => encodeRound(...args).request;

const BARE = {
  model: "llama3.3:70b",
  input: [{ type: "message", role: "user", content: "Hi" }],
  stream: true,
  store: false,
  include: ["reasoning.encrypted_content"],
};
const encodeWith = (changes: Partial<Prompt>) => encode(sampleModel(), samplePrompt("Hi", changes), "");

test("settings that are not set are not sent", () => {
  assert.deepEqual(encodeWith({}), BARE);
});

test("every setting is sent under its own name", () => {
  const prompt: Partial<Prompt> = {
    instructions: "Be brief.",
    verbosity: "low",
    maxOutputTokens: 99,
    maxOutputTokensSet: true,
    endUserHash: "ab12",
  };
  assert.deepEqual(encodeWith(prompt), {
    ...BARE,
    instructions: "Be brief.",
    text: { verbosity: "low" },
    max_output_tokens: 99,
    safety_identifier: "ab12",
  });
});

test("the end user is sent only to a model that has a field for it", () => {
  const encoded = encode(sampleModel({ hasEndUserField: false }), samplePrompt("Hi", { endUserHash: "ab12" }), "");
  assert.deepEqual(encoded, BARE);
});

test("the cache key is sent, cut to the longest that the API accepts", () => {
  assert.equal(encode(sampleModel(), samplePrompt("Hi"), "k".repeat(200)).prompt_cache_key, "k".repeat(64));
});

test("an effort is sent; a token budget is not, since the wire has none", () => {
  const model = sampleModel({ thinking: { effort: "high" } });
  assert.deepEqual(encode(model, samplePrompt("Hi"), "").reasoning, { effort: "high" });
  assert.deepEqual(encode(sampleModel({ thinking: { budgetTokens: 9 } }), samplePrompt("Hi"), ""), BARE);
});

test("reasoning is asked for where the model may reason, and not again where the server rejects that", () => {
  const includeOf = (upstreamModel: string, more: Partial<CatalogModel> = {}, server: ServerTraits = {}) =>
    encode(sampleModel({ upstreamModel, ...more }), samplePrompt("Hi"), "", server).include;
  const asked = ["reasoning.encrypted_content"];
  for (const name of [
    "gpt-5",
    "gpt-5.1-chat-latest",
    "gpt-6.1-terra",
    "o3",
    "codex-mini",
    "gpt-oss-120b",
    "x/grok-4",
  ]) {
    assert.deepEqual(includeOf(name), asked, name);
    assert.equal(includeOf(name, {}, { rejectsInclude: true }), undefined, name);
  }
  for (const name of ["gpt-4o", "openai/gpt-4.1-mini", "gpt-3.5-turbo", "chatgpt-4o-latest", "gpt-5-chat-latest"]) {
    assert.equal(includeOf(name), undefined, name);
    // Its entry knows better; a deployment's name says nothing.
    assert.deepEqual(includeOf(name, { thinking: { effort: "low" } }), asked, name);
    assert.deepEqual(includeOf(name, {}, { isDeployment: true }), asked, name);
  }
});

test("a json_schema is sent with a name, and its other fields only when given", () => {
  const schema = { type: "object" };
  assert.deepEqual(encodeWith({ format: { type: "text" } }), BARE);
  assert.deepEqual(encodeWith({ format: { type: "json_schema", schema, strict: null } }).text, {
    format: { type: "json_schema", name: "response", schema },
  });
  const whole = { type: "json_schema", name: "person", description: "who", schema, strict: false } as const;
  assert.deepEqual(encodeWith({ format: whole, verbosity: "high" }).text, { format: whole, verbosity: "high" });
});

test("a schema's name that the API would reject is mapped", () => {
  const nameOf = (name: string) => encodeWith({ format: { type: "json_schema", name, schema: {} } }).text?.format?.name;
  assert.deepEqual(["my schema!", "", "x".repeat(65)].map(nameOf), ["my_schema_", "_", "x".repeat(64)]);
});

test("tools are sent with the fields they have, and always with parameters and strict, whose default is true there", () => {
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const tools = [sampleTool("bare"), { ...sampleTool("full", parameters), description: "what", strict: true }];
  assert.deepEqual(encodeWith({ tools }), {
    ...BARE,
    tools: [
      { type: "function", name: "bare", parameters: { type: "object", properties: {} }, strict: false },
      { type: "function", name: "full", description: "what", parameters, strict: true },
    ],
  });
});

test("the schema of a tool is an object with properties; without strict, a choice at the root moves into the description", () => {
  const anyOf = [{ required: ["id"] }, { required: ["url"] }];
  const properties = { id: { type: "string" }, url: { type: "string" } };
  const rows: [Record<string, unknown>, boolean, unknown][] = [
    [{}, false, { type: "object", properties: {} }],
    [{ type: "object" }, true, { type: "object", properties: {} }],
    [
      { type: "object", properties, anyOf, not: { required: ["id", "url"] } },
      false,
      {
        type: "object",
        properties,
        description: `{anyOf: ${JSON.stringify(anyOf)}, not: {"required":["id","url"]}}`,
      },
    ],
    [{ properties, anyOf }, true, { type: "object", properties, anyOf }],
  ];
  for (const [parameters, strict, wire] of rows) {
    const { tools } = encodeWith({ tools: [{ ...sampleTool("a", parameters), strict }] });
    assert.deepEqual(tools?.[0]?.parameters, wire);
  }
});

test("each form of tool_choice is sent unchanged", () => {
  const tools = [sampleTool("a"), sampleTool("b")];
  const allowed = [{ name: "b" }, { type: "function" as const, name: "a" }];
  const functions = ["b", "a"].map((name) => ({ type: "function", name }));
  const rows: [Prompt["toolChoice"], unknown][] = [
    ["auto", undefined],
    ["none", "none"],
    ["required", "required"],
    [
      { type: "function", name: "b" },
      { type: "function", name: "b" },
    ],
    [
      { type: "allowed_tools", mode: "auto", tools: allowed },
      { type: "allowed_tools", mode: "auto", tools: functions },
    ],
    [
      { type: "allowed_tools", mode: "required", tools: allowed },
      { type: "allowed_tools", mode: "required", tools: functions },
    ],
  ];
  for (const [toolChoice, wireChoice] of rows) {
    const encoded = encodeWith({ tools, toolChoice });
    assert.equal(encoded.tools?.length, 2);
    assert.deepEqual(encoded.tool_choice, wireChoice);
    assert.equal("tool_choice" in encoded, wireChoice !== undefined);
  }
});

test("parallel_tool_calls is sent only with tools", () => {
  assert.equal(encodeWith({ tools: [sampleTool("a")], parallelToolCalls: false }).parallel_tool_calls, false);
  assert.deepEqual(encodeWith({ parallelToolCalls: false, toolChoice: "none" }), BARE);
});

test("a tool name that the API would reject is mapped everywhere, and back", () => {
  const tools = [sampleTool("a.b"), sampleTool("a_b")];
  const prompt = samplePrompt(
    [
      { type: "call", callId: "1", name: "a.b", arguments: "{}" },
      { type: "result", callId: "1", name: "a.b", output: "x" },
    ],
    { tools, toolChoice: { type: "function", name: "a.b" } },
  );
  const { request, toolNames } = encodeRound(sampleModel(), prompt, "");
  assert.deepEqual(
    request.tools?.map(({ name }) => name),
    ["a_b_2", "a_b"],
  );
  assert.deepEqual(request.tool_choice, { type: "function", name: "a_b_2" });
  assert.deepEqual(request.input[0], { type: "function_call", call_id: "1", name: "a_b_2", arguments: "{}" });
  assert.equal(toolNames.fromWire("a_b_2"), "a.b");
});

test("a model that is not to cache prompts gets no cache key, and the newer ones no implicit breakpoint", () => {
  const sent = (upstreamModel: string, isDeployment = false) => {
    const model = sampleModel({ upstreamModel, cachesPrompts: false });
    const request = encode(model, samplePrompt("Hi"), "key", { isDeployment });
    assert.equal(request.prompt_cache_key, undefined);
    return request.prompt_cache_options;
  };
  for (const older of ["gpt-4o", "gpt-5", "gpt-5-mini", "gpt-5.5-pro", "o3"]) assert.equal(sent(older), undefined);
  for (const newer of ["gpt-5.6", "gpt-5.6-terra", "gpt-6.1-terra"]) {
    assert.deepEqual(sent(newer), { mode: "explicit" });
  }
  // A deployment may be of an older model, whatever it is called.
  for (const name of ["chat", "gpt-5.6"]) assert.equal(sent(name, true), undefined);
});
