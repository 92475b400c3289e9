import assert from "node:assert/strict";
import { test } from "node:test";
import { nearModels } from "./near-models.ts";

const MODELS = ["anthropic/claude-opus-5-5", "openai/gpt-6.1-terra", "simulated/echo", "simulated/group-a"].map(
  (id) => ({
    id,
  }),
);

for (const [name, ids] of [
  ["simulated/ecko", ["simulated/echo"]],
  ["simulate/echo", ["simulated/echo"]],
  ["simulated/group-c", ["simulated/group-a"]],
  ["Anthropic/Claude-Opus-5.5", ["anthropic/claude-opus-5-5"]],
  ["openrouter/claude-opus-5-5", ["anthropic/claude-opus-5-5"]],
  ["claude-opus-5-5-20261101", ["anthropic/claude-opus-5-5"]],
  ["gpt-6.1", ["openai/gpt-6.1-terra"]],
  ["gpt-4o", []],
  ["g", []],
  ["", []],
  ["/", []],
] as const) {
  test(`${JSON.stringify(name)} may mean ${ids.join(", ") || "nothing"}`, () => {
    assert.deepEqual(nearModels(name, MODELS), ids);
  });
}

test("the nearest of many comes first, and three are named", () => {
  const models = ["a/model-10", "a/model-123", "a/model-12", "a/model-1", "a/model-2"].map((id) => ({ id }));
  assert.deepEqual(nearModels("a/model-12x", models), ["a/model-123", "a/model-12", "a/model-10"]);
});
