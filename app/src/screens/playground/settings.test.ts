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

test("settings left over from another model are not sent", () => {
  const settings = { ...NO_SETTINGS, temperature: "1", topP: "1", verbosity: "low", schema: "{}" };
  const kept = supportedSettings(settings, ["temperature", "text.format"]);
  assert.deepEqual(kept, { ...NO_SETTINGS, temperature: "1", schema: "{}" });
});
