// POST /v1/responses with an invalid request: each row names its field.
// @spec endpoints/post-responses, endpoints/model-settings
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INCLUDE_VALUES } from "../../../src/contract/include.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, fails } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";

const service = await serviceForFile();

const TOOLS = [{ type: "function", name: "look_up" }];

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

const schemaFormat = (more: object) => ({ format: { type: "json_schema", ...more } });

type Row = readonly [string, object, string, RegExp?];

const rows: readonly Row[] = [
  ["no model on a first turn", { model: undefined }, "model", /required/],
  ["a model that is not in the catalog", { model: "test/none" }, "model", /"test\/none"/],
  ["a model whose name is near a known one", { model: "test/al" }, "model", /did you mean test\/all\?/],
  ["messages in place of input", { input: undefined, messages: [] }, "input", /chat completions: send .* as input/],
  ["a model that is no string", { model: 7 }, "model"],
  ["an empty model", { model: "" }, "model"],
  [
    "conversation together with previous_response_id",
    { conversation: "conv_a", previous_response_id: "resp_a" },
    "conversation",
    /previous_response_id/,
  ],
  [
    "what the request goes on with, twice, before any field",
    { conversation: 7, previous_response_id: 7, model: 7, input: [], instructions: ["a"] },
    "conversation",
    /combined/,
  ],
  [
    "a malformed previous_response_id, before any field",
    { previous_response_id: "abc", model: 7, input: [], metadata: "a", max_output_tokens: 1 },
    "previous_response_id",
  ],
  [
    "U+0000, before any field and what the request goes on with",
    { model: 7, conversation: 7, previous_response_id: 7, z: ["\u0000"] },
    "z",
  ],
  ["a previous_response_id without its prefix", { previous_response_id: "abc" }, "previous_response_id"],
  ["a previous_response_id of nothing but its prefix", { previous_response_id: "resp_" }, "previous_response_id"],
  ["a previous_response_id with characters no id has", { previous_response_id: "resp_a b" }, "previous_response_id"],
  ["a previous_response_id of another kind", { previous_response_id: "conv_abc" }, "previous_response_id"],
  ["a conversation that is a number", { conversation: 7 }, "conversation"],
  ["a conversation object without an id", { conversation: {} }, "conversation"],
  ["instructions of another type", { instructions: ["a"] }, "instructions"],
  ["metadata of another type", { metadata: "a" }, "metadata"],
  ["metadata that is an array", { metadata: [] }, "metadata"],
  ["17 metadata pairs", { metadata: pairs(17) }, "metadata", /16/],
  ["a metadata key of 65 characters", { metadata: { ["k".repeat(65)]: "v" } }, "metadata", /64/],
  ["a metadata value of 513 characters", { metadata: { k: "v".repeat(513) } }, "metadata", /512/],
  ["a metadata value that is no string", { metadata: { k: 1 } }, "metadata", /"k"/],
  ["a safety_identifier of 65 characters", { safety_identifier: "a".repeat(65) }, "safety_identifier", /64/],
  ["a safety_identifier of another type", { safety_identifier: 5 }, "safety_identifier"],
  ["a user of another type", { user: 5 }, "user"],
  ["tools that are no array", { tools: {} }, "tools"],
  ["a tool of another type", { tools: [{ type: "web_search" }] }, "tools", /tools\[0\].*web_search/],
  ["a tool without a type", { tools: [{ name: "f" }] }, "tools", /tools\[0\]\.type/],
  ["a tool without a name", { tools: [{ type: "function" }] }, "tools", /tools\[0\]\.name/],
  [
    "a tool with parameters that are no object",
    { tools: [{ type: "function", name: "f", parameters: "x" }] },
    "tools",
    /tools\[0\]\.parameters/,
  ],
  [
    "a tool with strict that is no boolean",
    { tools: [{ type: "function", name: "f", strict: "x" }] },
    "tools",
    /tools\[0\]\.strict/,
  ],
  [
    "a tool with a description that is no string",
    { tools: [{ type: "function", name: "f", description: 1 }] },
    "tools",
    /tools\[0\]\.description/,
  ],
  ["tool_choice of another word", { tool_choice: "maybe" }, "tool_choice"],
  ["tool_choice required without tools", { tool_choice: "required" }, "tool_choice", /at least one tool/],
  ["tool_choice required with an empty list of tools", { tools: [], tool_choice: "required" }, "tool_choice"],
  ["a function choice without a name", { tools: TOOLS, tool_choice: { type: "function" } }, "tool_choice", /name/],
  [
    "a function choice of a tool that is absent",
    { tools: TOOLS, tool_choice: { type: "function", name: "absent" } },
    "tool_choice",
    /"absent"/,
  ],
  [
    "allowed_tools naming an absent tool",
    { tools: TOOLS, tool_choice: { type: "allowed_tools", tools: [{ name: "look_up" }, { name: "absent" }] } },
    "tool_choice",
    /"absent"/,
  ],
  [
    "allowed_tools of an unknown mode",
    { tools: TOOLS, tool_choice: { type: "allowed_tools", mode: "none", tools: [{ name: "look_up" }] } },
    "tool_choice",
    /mode/,
  ],
  ["allowed_tools without tools", { tools: TOOLS, tool_choice: { type: "allowed_tools" } }, "tool_choice"],
  ["a tool_choice object of another type", { tools: TOOLS, tool_choice: { type: "file_search" } }, "tool_choice"],
  ["parallel_tool_calls of another type", { parallel_tool_calls: "no" }, "parallel_tool_calls", /test\/all/],
  ["max_tool_calls 0", { max_tool_calls: 0 }, "max_tool_calls", /at least 1/],
  ["max_tool_calls of more than JSON carries exactly", { max_tool_calls: 2 ** 53 }, "max_tool_calls", /is too large/],
  [
    "max_output_tokens of more than JSON carries exactly",
    { max_output_tokens: 2 ** 53 },
    "max_output_tokens",
    /too large/,
  ],
  ["max_tool_calls in fractions", { max_tool_calls: 1.5 }, "max_tool_calls"],
  ["max_output_tokens 15", { max_output_tokens: 15 }, "max_output_tokens", /at least 16/],
  ["max_output_tokens in fractions", { max_output_tokens: 16.5 }, "max_output_tokens"],
  ["max_output_tokens as a string", { max_output_tokens: "16" }, "max_output_tokens"],
  ["an unknown truncation", { truncation: "middle" }, "truncation", /disabled, auto/],
  ["stream of another type", { stream: "true" }, "stream"],
  ["stream_options of another type", { stream_options: true }, "stream_options"],
  [
    "include_obfuscation of another type",
    { stream_options: { include_obfuscation: 1 } },
    "stream_options",
    /include_obfuscation/,
  ],
  [
    "temperature of another type",
    { temperature: "hot" },
    "temperature",
    /^temperature must .* test\/all, not "hot"\.$/,
  ],
  ["temperature above 2", { temperature: 2.1 }, "temperature", /test\/all/],
  ["temperature below 0", { temperature: -0.1 }, "temperature", /test\/all/],
  ["top_p above 1", { top_p: 1.1 }, "top_p", /test\/all/],
  ["presence_penalty above 2", { presence_penalty: 2.5 }, "presence_penalty", /test\/all/],
  ["frequency_penalty below -2", { frequency_penalty: -2.5 }, "frequency_penalty", /test\/all/],
  ["top_logprobs", { top_logprobs: 0 }, "top_logprobs", /test\/all/],
  ["text of another type", { text: "json" }, "text", /test\/all/],
  ["a format of another type", { text: { format: { type: "json_object" } } }, "text", /json_object/],
  ["a format without a type", { text: { format: {} } }, "text"],
  ["json_schema without a schema", { text: schemaFormat({ name: "n" }) }, "text", /text\.format\.schema/],
  [
    "json_schema with a schema that is no object",
    { text: schemaFormat({ schema: [] }) },
    "text",
    /text\.format\.schema/,
  ],
  ["json_schema with strict that is no boolean", { text: schemaFormat({ schema: {}, strict: 1 }) }, "text", /strict/],
  ["an unknown verbosity, naming the model", { text: { verbosity: "loud" } }, "text", /text\.verbosity .* test\/all/],
  ["include that is no array", { include: "reasoning.encrypted_content" }, "include"],
  ["an unknown include", { include: ["everything"] }, "include", /"everything"/],
  ["logprobs, naming the model", { include: ["message.output_text.logprobs"] }, "include", /test\/all/],
  ...INCLUDE_VALUES.slice(2).map((value): Row => [`include ${value}`, { include: [value] }, "include"]),
  ["prompt_cache_key of another type", { prompt_cache_key: {} }, "prompt_cache_key"],
  ["an unknown service_tier", { service_tier: "gold" }, "service_tier"],
  ["background true", { background: true }, "background"],
  ["background of another type", { background: "no" }, "background"],
  ["store false", { store: false }, "store"],
  ["reasoning", { reasoning: { effort: "low" } }, "reasoning"],
  ["empty reasoning", { reasoning: {} }, "reasoning"],
  ["starting_after", { starting_after: 5 }, "starting_after"],
  [
    "U+0000 in the input, naming its place",
    { input: [{ role: "user", content: "a\u0000b" }] },
    "input",
    /input\[0\]\.content/,
  ],
  ["U+0000 in metadata", { metadata: { k: "\u0000" } }, "metadata", /metadata\.k/],
  ["U+0000 in a key", { metadata: { "a\u0000": "v" } }, "metadata"],
  ["U+0000 in a field nobody knows", { unheard: { of: ["\u0000"] } }, "unheard", /unheard\.of\[0\]/],
  ["half a surrogate pair", { input: "\ud800" }, "input"],
];

describe("a field that cannot be honored is rejected naming it, streaming or not", () => {
  for (const [name, body, param, message] of rows) {
    test(name, async () => {
      for (const stream of "stream" in body ? [body.stream] : [false, true]) {
        const reply = await service.create({ input: "Hi", stream, ...body });
        assertApiError(reply, {
          status: 400,
          code: "invalid_input",
          param,
          ...(message === undefined ? {} : { message }),
        });
      }
    });
  }
});

test("limits count characters, not code units", async () => {
  const wide = { metadata: { ["👋".repeat(64)]: "👋".repeat(512) }, safety_identifier: "👋".repeat(64) };
  const { status, text } = await service.create({
    input: "Hi",
    ...wide,
    max_tool_calls: 1,
    max_output_tokens: 16,
  });
  assert.equal(status, 200, text);
  const pair = await service.create({ input: "Hi", metadata: pairs(16) });
  assert.equal(pair.status, 200);
});

describe("a response that cannot be continued", () => {
  test("one that failed", async () => {
    service.provider.plays([fails("provider_error")]);
    const failed = await service.create({ input: "Hi" });
    assert.equal(failed.json.status, "failed");
    const reply = await service.create({ input: "Hi", previous_response_id: failed.json.id });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "previous_response_id", message: /failed/ });
  });

  test("a failed response to tool outputs leaves its response waiting", async () => {
    service.provider.plays(calls({ callId: "a" }), [fails("provider_error")]);
    const first = await service.create({ input: "Hi", tools: TOOLS });
    const body = {
      input: [{ type: "function_call_output", call_id: "a", output: "x" }],
      previous_response_id: first.json.id,
    };
    assert.equal((await service.create(body)).json.status, "failed");
    const again = await service.create(body);
    assert.equal(again.json.status, "completed", again.text);
  });
});

test("a rejected response leaves the conversation unchanged", async () => {
  const conversation = await service.request("POST", "/v1/conversations", { body: { metadata: { a: "1" } } });
  const named = { conversation: conversation.json.id };
  await service.create({ input: "Hi", ...named });
  const before = await dumpTables(service);
  for (const body of [
    { input: "x".repeat(400_000) },
    { input: [] },
    { input: "Hi", temperature: 9 },
    { input: "Hi", model: "nope" },
  ]) {
    const { status } = await service.create({ ...named, ...body });
    assert.equal(status, 400);
  }
  assert.deepEqual(await dumpTables(service), before);
});
