import assert from "node:assert/strict";
import test from "node:test";
import type { Prompt } from "../../core/response/prompt.ts";
import { sampleModel, samplePrompt, sampleTool, userMessage } from "../../../test/support/provider-samples.ts";
import { encode, unsupportedOf } from "./encode.ts";

const MODEL = sampleModel({ upstreamModel: "gemini-3.8-flash" });
const BARE = {
  contents: [{ role: "user", parts: [{ text: "Hi" }] }],
  generationConfig: { maxOutputTokens: 2_000 },
};
const encodeWith = (changes: Partial<Prompt>, model = MODEL) => encode(model, samplePrompt("Hi", changes)).request;

test("a prompt without settings sends only the output limit", () => {
  assert.deepEqual(encodeWith({}), BARE);
  assert.deepEqual(encodeWith({ format: { type: "text" }, endUserHash: "ab12" }), BARE);
});

test("every setting is sent under its own name, also zero", () => {
  const prompt: Partial<Prompt> = {
    temperature: 0,
    topP: 0.5,
    presencePenalty: -1,
    frequencyPenalty: 0,
    maxOutputTokens: 99,
    maxOutputTokensSet: true,
  };
  assert.deepEqual(encodeWith(prompt).generationConfig, {
    maxOutputTokens: 99,
    temperature: 0,
    topP: 0.5,
    presencePenalty: -1,
    frequencyPenalty: 0,
  });
});

test("instructions become the system instruction, the catalog's thinking the thinkingConfig", () => {
  const request = encodeWith({ instructions: "Be brief." }, sampleModel({ thinking: { effort: "low" } }));
  assert.deepEqual(request.systemInstruction, { parts: [{ text: "Be brief." }] });
  assert.deepEqual(request.generationConfig.thinkingConfig, { thinkingLevel: "LOW", includeThoughts: true });
});

const schema = { type: "object", properties: { kind: { const: "a" } } };
const limited = { type: "object", properties: { kind: { enum: ["a"], type: "string" } } };
const format = { type: "json_schema", name: "n", schema, strict: true } as const;

test("a json_schema is sent in the wire's keywords, also beside tools", () => {
  const { generationConfig } = encodeWith({ format, tools: [sampleTool("a")] });
  assert.equal(generationConfig.responseMimeType, "application/json");
  assert.deepEqual(generationConfig.responseJsonSchema, limited);
});

test("a format beside a forced call cannot be sent: the provider rejects the two together", () => {
  const model = sampleModel();
  const unsupported = (changes: Partial<Prompt>) =>
    unsupportedOf(model, samplePrompt("Hi", { tools: [sampleTool("a")], ...changes }));
  assert.equal(unsupported({ format, toolChoice: "required" })?.param, "text");
  assert.equal(unsupported({ format, toolChoice: "auto" }), null);
  assert.equal(unsupported({ format: { type: "text" }, toolChoice: "required" }), null);
});

test("before Gemini 3 a format cannot be sent beside a tool that may be called", () => {
  const unsupported = (upstreamModel: string, changes: Partial<Prompt>) =>
    unsupportedOf(sampleModel({ upstreamModel }), samplePrompt("Hi", { format, ...changes }));
  const tools = [sampleTool("a")];
  const noneAllowed: Prompt["toolChoice"] = { type: "allowed_tools", mode: "auto", tools: [] };
  for (const older of ["gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.0-flash", "gemini-1.5-pro"]) {
    assert.deepEqual(unsupported(older, { tools })?.param, "text", older);
    assert.equal(unsupported(older, { tools, toolChoice: "none" }), null, older);
    assert.equal(unsupported(older, { tools, toolChoice: noneAllowed }), null, older);
    assert.equal(unsupported(older, {}), null, older);
    assert.equal(unsupported(older, { tools, format: { type: "text" } }), null, older);
  }
  for (const newer of ["gemini-3.1-pro-preview", "gemini-4-argon", "gemma-4-31b-it"]) {
    assert.equal(unsupported(newer, { tools }), null, newer);
  }
});

test("a model without a field for instructions gets them before the first words of the user", () => {
  for (const upstreamModel of ["gemma-3-27b-it", "gemma-3n-e4b-it", "gemma-2-9b-it"]) {
    const request = encodeWith({ instructions: "Be brief." }, sampleModel({ upstreamModel }));
    assert.deepEqual(request.contents, [{ role: "user", parts: [{ text: "Be brief." }, { text: "Hi" }] }]);
    assert.equal("systemInstruction" in request, false);
  }
  const newer = encodeWith({ instructions: "Be brief." }, sampleModel({ upstreamModel: "gemma-4-31b-it" }));
  assert.deepEqual(newer.systemInstruction, { parts: [{ text: "Be brief." }] });
});

test("the description of a format reaches the model", () => {
  const { generationConfig } = encodeWith({ format: { ...format, description: "A kind." } });
  assert.match(String(generationConfig.responseJsonSchema?.description), /^A kind\./);
});

test("tools are sent with the fields they have", () => {
  const tools = [sampleTool("bare"), { ...sampleTool("full", schema), description: "what" }];
  assert.deepEqual(encodeWith({ tools }), {
    ...BARE,
    tools: [
      {
        functionDeclarations: [{ name: "bare" }, { name: "full", description: "what", parametersJsonSchema: limited }],
      },
    ],
  });
});

const tools = [sampleTool("a"), sampleTool("b"), sampleTool("c")];
const allowed = [{ name: "c" }, { name: "a" }, { name: "c" }];
const all = ["a", "b", "c"];
const COMPOSITION_KEYWORDS: readonly (readonly [
  choice: Prompt["toolChoice"],
  config: object | undefined,
  offered: readonly string[],
])[] = [
  ["auto", undefined, all],
  ["none", { mode: "NONE" }, all],
  ["required", { mode: "ANY" }, all],
  [{ type: "function", name: "b" }, { mode: "ANY", allowedFunctionNames: ["b"] }, all],
  [{ type: "allowed_tools", mode: "required", tools: allowed }, { mode: "ANY", allowedFunctionNames: ["c", "a"] }, all],
  [{ type: "allowed_tools", mode: "auto", tools: allowed }, undefined, ["a", "c"]],
];
for (const [toolChoice, config, offered] of COMPOSITION_KEYWORDS) {
  test(`tool_choice ${JSON.stringify(toolChoice)} is encoded`, () => {
    const request = encodeWith({ tools, toolChoice });
    assert.deepEqual(request.toolConfig?.functionCallingConfig, config);
    assert.deepEqual(
      request.tools?.[0]?.functionDeclarations.map(({ name }) => name),
      offered,
    );
  });
}

test("without tools no choice is sent", () => {
  assert.deepEqual(encodeWith({ toolChoice: "none" }), BARE);
  assert.deepEqual(encodeWith({ tools, toolChoice: { type: "allowed_tools", mode: "auto", tools: [] } }), BARE);
});

test("strict tools enforce their schemas on models that can", () => {
  const strict = [{ ...sampleTool("a"), strict: true }];
  assert.deepEqual(encodeWith({ tools: strict }).toolConfig, { functionCallingConfig: { mode: "VALIDATED" } });
  assert.equal(encodeWith({ tools: strict }, sampleModel({ upstreamModel: "gemini-2.5-pro" })).toolConfig, undefined);
});

test("names that the provider rejects are mapped in tools, choice and history alike, and back", () => {
  const { request, toolNames } = encode(
    MODEL,
    samplePrompt(
      [
        userMessage("Hi"),
        { type: "call", callId: "1", name: "2nd tool", arguments: "{}" },
        { type: "result", callId: "1", name: "2nd tool", output: "" },
      ],
      { tools: [sampleTool("2nd tool"), sampleTool("get.time")], toolChoice: { type: "function", name: "2nd tool" } },
    ),
  );
  assert.deepEqual(
    request.tools?.[0]?.functionDeclarations.map(({ name }) => name),
    ["_2nd_tool", "get.time"],
  );
  assert.deepEqual(request.toolConfig?.functionCallingConfig.allowedFunctionNames, ["_2nd_tool"]);
  const [, asking, answering] = JSON.parse(JSON.stringify(request.contents)) as {
    parts: Record<string, { name: string }>[];
  }[];
  assert.equal(asking?.parts[0]?.functionCall?.name, "_2nd_tool");
  assert.equal(answering?.parts[0]?.functionResponse?.name, "_2nd_tool");
  assert.equal(toolNames.fromWire("_2nd_tool"), "2nd tool");
});
