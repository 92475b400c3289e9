import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/catalog.ts";
import { traitsOf } from "./model-traits.ts";
import { encodeThinking, reportThinking } from "./thinking.ts";

const level = (thinkingLevel: string) => ({ thinkingLevel, includeThoughts: true });
const budget = (thinkingBudget: number) => ({ thinkingBudget, includeThoughts: true });

const ROWS: readonly (readonly [thinking: CatalogModel["thinking"], model: string, sent: unknown])[] = [
  ["none", "gemini-3.8-flash", null],
  [{ effort: "low" }, "gemini-3.8-flash", level("LOW")],
  [{ effort: "medium" }, "gemini-4-argon", level("MEDIUM")],
  [{ effort: "high" }, "gemini-flash-latest", level("HIGH")],
  [{ effort: "xhigh" }, "gemini-4-argon", level("HIGH")],
  // Newer models refuse budgets.
  [{ budgetTokens: 1_024 }, "gemini-3.8-flash", level("LOW")],
  [{ budgetTokens: 1_025 }, "gemini-3.8-flash", level("MEDIUM")],
  [{ budgetTokens: 100_000 }, "gemini-3.8-flash", level("HIGH")],
  [{ budgetTokens: 500 }, "gemini-2.5-flash", budget(500)],
  [{ effort: "medium" }, "gemini-2.5-pro", budget(8_192)],
  [{ effort: "high" }, "gemini-2.0-flash", null],
  [{ budgetTokens: 500 }, "gemma-3-27b-it", null],
];

for (const [thinking, model, sent] of ROWS) {
  test(`${model} told to think ${JSON.stringify(thinking)} is sent ${JSON.stringify(sent)}`, () => {
    assert.deepEqual(encodeThinking(thinking, traitsOf(model)), sent);
  });
}

test("a response reports the level that the model is told, also for a budget; a budget that is no effort is none", () => {
  const rows: readonly (readonly [CatalogModel["thinking"], string, string | null | undefined])[] = [
    ["none", "gemini-3.8-flash", undefined],
    [{ effort: "medium" }, "gemini-3.8-flash", "medium"],
    [{ effort: "xhigh" }, "gemini-3.8-flash", "high"],
    [{ budgetTokens: 500 }, "gemini-3.8-flash", "low"],
    [{ effort: "medium" }, "gemini-2.5-pro", "medium"],
    [{ budgetTokens: 500 }, "gemini-2.5-pro", null],
    [{ effort: "high" }, "gemini-2.0-flash", undefined],
  ];
  for (const [thinking, model, effort] of rows) {
    const expected = effort === undefined ? null : { effort, summary: "auto" };
    assert.deepEqual(reportThinking(thinking, traitsOf(model)), expected, model);
  }
});
