import assert from "node:assert/strict";
import { test } from "node:test";
import openapi from "../../../../openapi.json" with { type: "json" };
import { NO_SETTINGS, NUMBERS, outOfBounds, requestOf, supportedSettings } from "./settings.ts";

test("a request has what was typed, and nothing else", () => {
  const settings = { ...NO_SETTINGS, temperature: "0", tools: "[]" };
  assert.deepEqual(requestOf("m", settings, "Hi"), {
    model: "m",
    input: "Hi",
    stream: true,
    temperature: 0,
    tools: [],
  });
  assert.deepEqual(requestOf("", NO_SETTINGS, "Hi"), { input: "Hi", stream: true });
});

test("wrong JSON is an error that names its field", () => {
  assert.throws(() => requestOf("m", { ...NO_SETTINGS, tools: "[" }, "Hi"), /^Error: tools: /);
  const withSchema = { ...NO_SETTINGS, "text.format.schema": "{" };
  assert.throws(() => requestOf("m", withSchema, "Hi"), /^Error: text\.format\.schema: /);
});

const MODEL = { group: ["temperature", "top_p", "text.format"], thinking: "none", forced_tool_choice: true };

test("settings left over from another model are not sent", () => {
  const schema = { "text.format.schema": "{}" };
  const settings = { ...NO_SETTINGS, ...schema, temperature: "1", top_p: "1", tool_choice: "required" };
  const given = { ...settings, "text.verbosity": "low" };
  assert.deepEqual(supportedSettings(given, MODEL), settings);
  const thinking = supportedSettings(given, { ...MODEL, thinking: 2048, forced_tool_choice: false });
  assert.deepEqual(thinking, { ...NO_SETTINGS, ...schema });
  // Without the catalog the service decides.
  assert.deepEqual(supportedSettings(given, undefined), given);
});

test("choices are sent as the interface names their values", () => {
  const settings = {
    ...NO_SETTINGS,
    parallel_tool_calls: "false",
    "svc:unanswered_calls": "drop",
    truncation: "auto",
  };
  const {
    parallel_tool_calls: parallel,
    truncation,
    "svc:unanswered_calls": unanswered,
  } = requestOf("m", settings, "Hi");
  assert.deepEqual([parallel, truncation, unanswered], [false, "auto", "drop"]);
});

test("the bounds of the numbers are those of the interface", () => {
  const { properties } = openapi.components.schemas.CreateResponseBody;
  for (const [name, { step, ...bounds }] of Object.entries(NUMBERS)) {
    const [{ type, ...documented }] = properties[name as keyof typeof NUMBERS].anyOf as [{ type: string }];
    assert.deepEqual({ type, ...documented }, { type: step === 1 ? "integer" : "number", ...named(bounds) }, name);
  }
});

const named = ({ min, max }: { min: number; max?: number }) => ({
  minimum: min,
  ...(max !== undefined && { maximum: max }),
});

test("a number out of its bounds is noted", () => {
  assert.equal(outOfBounds("temperature", ""), null);
  assert.equal(outOfBounds("temperature", "0.5"), null);
  assert.equal(outOfBounds("temperature", "2.5"), "The service takes 0 to 2");
  assert.equal(outOfBounds("max_output_tokens", "16.5"), "The service takes 16 or more");
});
