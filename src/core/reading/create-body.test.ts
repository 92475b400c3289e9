import assert from "node:assert/strict";
import { test } from "node:test";
import { NULLABLE_FIELDS } from "../../../test/support/plain-response.ts";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { type CreateRequest, resolveField } from "../response/request.ts";
import { readCreateBody } from "./create-body.ts";

const read = (fields: Record<string, unknown>) => readCreateBody({ model: "test/all", input: "Hi", ...fields });
const settings = (request: CreateRequest) => resolveField(request.settings, "test/all");
const settingsOf = (fields: Record<string, unknown>) => settings(read(fields));
const toolFields = (request: CreateRequest) => resolveField(request.toolFields);

test("a first turn needs only a model and an input; the rest has defaults", () => {
  assert.deepEqual(read({}), {
    model: "test/all",
    input: "Hi",
    previousResponseId: null,
    conversationId: null,
    instructions: null,
    metadata: null,
    toolFields: {
      value: { tools: [], toolChoice: "auto", maxToolCalls: null, safetyIdentifier: null, user: null },
    },
    user: { value: null },
    requestedMaxOutputTokens: null,
    truncation: "disabled",
    stream: false,
    includeObfuscation: true,
    unansweredCalls: null,
    includesEncryptedContent: { value: false },
    settings: {
      value: {
        parallelToolCalls: null,
        temperature: null,
        topP: null,
        presencePenalty: null,
        frequencyPenalty: null,
        format: null,
        verbosity: null,
      },
    },
    sentSettings: [],
    hasPromptTemplate: false,
  });
});

const schema = { type: "object", properties: { __proto__x: {} } };

/** For each row of the specification's table: accepted fields, and how they are read. */
const accepted: readonly (readonly [Record<string, unknown>, (request: CreateRequest) => unknown, unknown])[] = [
  [{ model: "bare-name" }, (request) => request.model, "bare-name"],
  [{ input: "text" }, (request) => request.input, "text"],
  [{ input: " " }, (request) => request.input, " "],
  [{ previous_response_id: "resp_aZ09-_" }, (request) => request.previousResponseId, "resp_aZ09-_"],
  [{ conversation: "conv_1" }, (request) => request.conversationId, "conv_1"],
  [{ conversation: { id: "conv_1", more: 1 } }, (request) => request.conversationId, "conv_1"],
  // A malformed conversation id gives the uniform 404 later on.
  [{ conversation: "nonsense" }, (request) => request.conversationId, "nonsense"],
  [{ instructions: "" }, (request) => request.instructions, ""],
  [{ metadata: { a: "b" } }, (request) => request.metadata, { a: "b" }],
  [{ safety_identifier: "😀".repeat(64) }, (request) => toolFields(request).safetyIdentifier, "😀".repeat(64)],
  [{ user: "u" }, (request) => toolFields(request).user, "u"],
  [{ user: "" }, (request) => toolFields(request).user, null],
  [{ user: 5, safety_identifier: "s" }, (request) => toolFields(request).user, null],
  [{ parallel_tool_calls: false }, (request) => settings(request).parallelToolCalls, false],
  [{ max_tool_calls: 1 }, (request) => toolFields(request).maxToolCalls, 1],
  [{ max_output_tokens: 16 }, (request) => request.requestedMaxOutputTokens, 16],
  [{ truncation: "auto" }, (request) => request.truncation, "auto"],
  [{ stream: true }, (request) => request.stream, true],
  [{ stream_options: { include_obfuscation: false } }, (request) => request.includeObfuscation, false],
  [{ stream_options: {} }, (request) => request.includeObfuscation, true],
  [{ stream_options: { include_usage: true } }, (request) => request.includeObfuscation, true],
  [{ temperature: 0 }, (request) => settings(request).temperature, 0],
  [{ top_p: 0.5 }, (request) => settings(request).topP, 0.5],
  [{ presence_penalty: -2 }, (request) => settings(request).presencePenalty, -2],
  [{ frequency_penalty: 2 }, (request) => settings(request).frequencyPenalty, 2],
  [{ text: {} }, (request) => settings(request).format, null],
  [{ text: { format: null, verbosity: null } }, (request) => settings(request).verbosity, null],
  [{ text: { format: { type: "text", x: 1 } } }, (request) => settings(request).format, { type: "text" }],
  [{ text: { verbosity: "low" } }, (request) => settings(request).verbosity, "low"],
  [
    { text: { format: { type: "json_schema", schema } } },
    (request) => settings(request).format,
    { type: "json_schema", schema },
  ],
  [
    { text: { format: { type: "json_schema", name: "n", description: "d", schema: {}, strict: null } } },
    (request) => settings(request).format,
    { type: "json_schema", name: "n", description: "d", schema: {} },
  ],
  [{ include: ["message.output_text.logprobs"] }, (request) => request.model, "test/all"],
  [{ prompt: { id: "pmpt_1" } }, (request) => request.hasPromptTemplate, true],
  [{ prompt_cache_key: "k", service_tier: "flex" }, (request) => request.model, "test/all"],
  [{ background: false, store: true }, (request) => request.model, "test/all"],
  [{ unheard_of: { deeply: [1] }, "svc:x": 1, max_tokens: "x" }, (request) => request.model, "test/all"],
];
for (const [fields, of, value] of accepted) {
  test(`${JSON.stringify(fields).slice(0, 80)} is read`, () => assert.deepEqual(of(read(fields)), value));
}

/** Rejected fields, the param, and words of the message. */
const rejected: readonly (readonly [Record<string, unknown>, string, ...(string | RegExp)[]])[] = [
  [{ model: "" }, "model", "empty"],
  [{ model: 1 }, "model", "string"],
  [{ input: undefined }, "input", "required"],
  [{ input: null }, "input", "required"],
  [{ input: "" }, "input", "empty"],
  [{ input: {} }, "input", "an object"],
  [{ input: 3 }, "input", "3"],
  [{ input: ["Hi"] }, "input", "input[0]"],
  [{ previous_response_id: "" }, "previous_response_id", "resp_"],
  [{ previous_response_id: "resp_" }, "previous_response_id"],
  [{ previous_response_id: "conv_1" }, "previous_response_id", '"conv_1"'],
  [{ previous_response_id: "resp_a/b" }, "previous_response_id"],
  [{ previous_response_id: "resp_é" }, "previous_response_id"],
  [{ previous_response_id: 5 }, "previous_response_id", "string"],
  [{ conversation: 5 }, "conversation"],
  [{ conversation: {} }, "conversation", "{id}"],
  [{ conversation: { id: 1 } }, "conversation"],
  [{ conversation: ["conv_1"] }, "conversation"],
  [{ conversation: "conv_1", previous_response_id: "resp_1" }, "conversation", "previous_response_id"],
  [{ conversation: { id: "conv_1" }, previous_response_id: "resp_1" }, "conversation", "combined"],
  [{ instructions: 1 }, "instructions"],
  [{ metadata: "x" }, "metadata"],
  [{ metadata: { a: 1 } }, "metadata", '"a"'],
  [{ safety_identifier: "x".repeat(65) }, "safety_identifier", "64", "65"],
  [{ safety_identifier: 1 }, "safety_identifier"],
  [{ user: 1 }, "user"],
  [{ tools: {} }, "tools", "array"],
  [{ tool_choice: "any" }, "tool_choice"],
  [{ max_tool_calls: 0 }, "max_tool_calls", "at least 1"],
  [{ max_tool_calls: -1 }, "max_tool_calls"],
  [{ max_tool_calls: 1.5 }, "max_tool_calls", "integer"],
  [{ max_output_tokens: 15 }, "max_output_tokens", "at least 16", "15"],
  [{ max_output_tokens: "16" }, "max_output_tokens"],
  [{ truncation: "off" }, "truncation", "disabled, auto"],
  [{ stream: "true" }, "stream"],
  [{ stream_options: [] }, "stream_options"],
  [{ stream_options: { include_obfuscation: 1 } }, "stream_options", "stream_options.include_obfuscation"],
  [{ include: ["anything"] }, "include", "anything"],
  [{ include: ["message.output_text.logprobs", "anything"] }, "include", "anything"],
  [{ include: ["file_search_call.results"] }, "include", "file_search_call.results"],
  [{ prompt_cache_key: 1 }, "prompt_cache_key"],
  [{ service_tier: "scale" }, "service_tier", "auto, default, flex, priority"],
  [{ background: true }, "background", "not available"],
  [{ background: "no" }, "background"],
  [{ store: false }, "store", "true"],
  [{ store: 0 }, "store"],
  [{ reasoning: {} }, "reasoning"],
  [{ reasoning: { effort: "low" } }, "reasoning"],
  [{ reasoning: false }, "reasoning"],
  [{ starting_after: 0 }, "starting_after", "resumed"],
];
for (const [fields, param, ...says] of rejected) {
  test(`${JSON.stringify(fields).slice(0, 80)} is rejected with param ${param}`, () => {
    assertInvalidInput(() => read(fields), param, ...says);
  });
}

/** Rejected settings; their messages name the model. */
const rejectedSettings: typeof rejected = [
  [{ parallel_tool_calls: 1 }, "parallel_tool_calls"],
  [{ temperature: "hot" }, "temperature", "a number from 0 to 2", '"hot"'],
  [{ top_p: true }, "top_p"],
  [{ presence_penalty: {} }, "presence_penalty"],
  [{ frequency_penalty: [] }, "frequency_penalty"],
  [{ text: "json" }, "text"],
  [{ text: { format: "json_schema" } }, "text", "text.format"],
  [{ text: { format: {} } }, "text", "text.format.type"],
  [{ text: { format: { type: "json_object" } } }, "text", '"json_object"'],
  [{ text: { format: { type: "json_schema" } } }, "text", "must carry a schema"],
  [{ text: { format: { type: "json_schema", schema: null } } }, "text", "schema"],
  [{ text: { format: { type: "json_schema", schema: [] } } }, "text", "schema"],
  [{ text: { format: { type: "json_schema", schema: {}, strict: 1 } } }, "text", "text.format.strict"],
  [{ text: { format: { type: "json_schema", schema: {}, name: 1 } } }, "text", "text.format.name"],
  [{ text: { format: { type: "json_schema", schema: {}, description: 1 } } }, "text", "text.format.description"],
  [{ text: { verbosity: 1 } }, "text", "text.verbosity must be one of low, medium, high"],
  [{ temperature: Number.POSITIVE_INFINITY }, "temperature", "a number beyond all bounds"],
];
for (const [fields, param, ...says] of rejectedSettings) {
  test(`${JSON.stringify(fields).slice(0, 80)} is rejected with param ${param}, naming the model`, () => {
    read(fields);
    assertInvalidInput(() => settingsOf(fields), param, "for the model test/all", ...says);
  });
}

for (const field of NULLABLE_FIELDS) {
  test(`${field}: null counts as absent`, () => {
    assert.deepEqual(read({ [field]: null }), read({}));
  });
}

test("a setting's default value, sent, is not the same as not sent", () => {
  assert.equal(settingsOf({ temperature: 1 }).temperature, 1);
  assert.deepEqual(settingsOf({ text: { format: { type: "text" } } }).format, { type: "text" });
  assert.equal(settingsOf({ parallel_tool_calls: true }).parallelToolCalls, true);
});

test("a key __proto__ adds no field", () => {
  const body = JSON.parse('{"model":"m","input":"Hi","__proto__":{"stream":true,"background":true}}');
  assert.equal(readCreateBody(body).stream, false);
});

const output = { type: "function_call_output", call_id: "c1", output: "42" };

for (const name of [{ previous_response_id: "resp_1" }, { conversation: "conv_1" }]) {
  const later = (fields: Record<string, unknown>) => read({ ...name, input: [output], ...fields });

  test(`a request that may answer calls (${Object.keys(name)[0]}) may have invalid tool fields: the turn decides whether they count`, () => {
    const request = later({ tools: 1, tool_choice: "x", max_tool_calls: 0, user: 5 });
    assertInvalidInput(() => toolFields(request), "user");
    assertInvalidInput(() => resolveField(request.user), "user");
    assertInvalidInput(() => toolFields(later({ safety_identifier: 5 })), "safety_identifier");
  });

  test(`other items beside tool outputs (${Object.keys(name)[0]}) are kept unread`, () => {
    const resent = [
      { role: "assistant", content: "Hello" },
      { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
      { role: "user", content: [{ type: "input_image", image_url: "x" }] },
      { type: "web_search_call" },
      output,
    ];
    const { input } = later({ input: resent });
    assert.deepEqual(typeof input === "string" ? [] : input.map((item) => item.type), [
      "unread",
      "unread",
      "unread",
      "unread",
      "function_call_output",
    ]);
  });

  test(`what is no item is rejected beside tool outputs too (${Object.keys(name)[0]})`, () => {
    for (const value of ["text", 5, null, ["x"]]) {
      assertInvalidInput(() => later({ input: [output, value] }), "input", "input[1] must be an item object");
    }
  });

  test(`an unreadable output is still rejected (${Object.keys(name)[0]})`, () => {
    assertInvalidInput(
      () => later({ input: [output, { type: "function_call_output", output: "x" }] }),
      "input",
      "input[1]",
    );
  });
}

test("on a first turn an assistant message beside an output is rejected", () => {
  assertInvalidInput(
    () => read({ input: [{ role: "assistant", content: "x" }, output] }),
    "input",
    "input[0] (message)",
  );
});
