import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_SETTINGS, requestOf, supportedSettings } from "./settings.ts";

const ALONE = { previousResponseId: null, conversationId: null };

test("a request has what was typed, and nothing else", () => {
  const settings = { ...NO_SETTINGS, model: "m", temperature: "0", tools: "[]" };
  assert.deepEqual(requestOf(settings, "Hi", ALONE), {
    model: "m",
    input: "Hi",
    stream: true,
    temperature: 0,
    tools: [],
  });
});

test("a conversation comes before the last response", () => {
  const place = { previousResponseId: "resp_1", conversationId: "conv_1" };
  const request = requestOf(NO_SETTINGS, "Hi", place);
  assert.deepEqual([request.conversation, request.previous_response_id], ["conv_1", undefined]);
  assert.equal(requestOf(NO_SETTINGS, "Hi", { ...place, conversationId: null }).previous_response_id, "resp_1");
});

test("wrong JSON is an error that names its field", () => {
  assert.throws(() => requestOf({ ...NO_SETTINGS, tools: "[" }, "Hi", ALONE), /^Error: Tools: /);
  assert.throws(() => requestOf({ ...NO_SETTINGS, schema: "{" }, "Hi", ALONE), /^Error: Schema of the answer: /);
});

const MODEL = { group: ["temperature", "top_p", "text.format"], thinking: "none", forced_tool_choice: true };

test("settings left over from another model are not sent", () => {
  const settings = {
    ...NO_SETTINGS,
    temperature: "1",
    topP: "1",
    verbosity: "low",
    schema: "{}",
    toolChoice: "required",
  };
  assert.deepEqual(supportedSettings(settings, MODEL), { ...settings, verbosity: "" });
  const thinking = supportedSettings(settings, { ...MODEL, thinking: 2048, forced_tool_choice: false });
  assert.deepEqual(thinking, { ...NO_SETTINGS, schema: "{}" });
  assert.deepEqual(supportedSettings({ ...settings, toolChoice: "auto" }, undefined), {
    ...NO_SETTINGS,
    toolChoice: "auto",
  });
});

test("choices are sent as the interface names their values", () => {
  const settings = {
    ...NO_SETTINGS,
    model: "m",
    parallelToolCalls: "false",
    unansweredCalls: "drop",
    truncation: "auto",
  };
  const {
    parallel_tool_calls: parallel,
    truncation,
    "svc:unanswered_calls": unanswered,
  } = requestOf(settings, "Hi", ALONE);
  assert.deepEqual([parallel, truncation, unanswered], [false, "auto", "drop"]);
});
