import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/models/catalog.ts";
import { traitsOf } from "./model-traits.ts";
import { encodeThinking, reportThinking, thinkingSent } from "./thinking.ts";

const level = (thinkingLevel: string) => ({ thinkingLevel, includeThoughts: true });
const budget = (thinkingBudget: number) => ({ thinkingBudget, includeThoughts: true });

const ROWS: readonly (readonly [thinking: CatalogModel["thinking"], model: string, sent: unknown])[] = [
  ["none", "gemini-3.8-flash", null],
  [{ effort: "low" }, "gemini-3.8-flash", level("LOW")],
  [{ effort: "medium" }, "gemini-4-argon", level("MEDIUM")],
  [{ effort: "high" }, "gemini-flash-latest", level("HIGH")],
  [{ effort: "xhigh" }, "gemini-4-argon", level("HIGH")],
  // Newer models reject budgets.
  [{ budgetTokens: 1_024 }, "gemini-3.8-flash", level("LOW")],
  [{ budgetTokens: 1_025 }, "gemini-3.8-flash", level("MEDIUM")],
  [{ budgetTokens: 100_000 }, "gemini-3.8-flash", level("HIGH")],
  [{ budgetTokens: 500 }, "gemini-2.5-flash", budget(500)],
  [{ effort: "medium" }, "gemini-2.5-pro", budget(8_192)],
  [{ effort: "high" }, "gemini-2.0-flash", null],
  [{ budgetTokens: 500 }, "gemma-3-27b-it", null],
];

for (const [thinking, model, sent] of ROWS) {
  test(`${model} with thinking ${JSON.stringify(thinking)} is sent ${JSON.stringify(sent)}`, () => {
    assert.deepEqual(encodeThinking(thinking, traitsOf(model)), sent);
  });
}

test("a response reports the level sent, or the effort equivalent to a budget", () => {
  const rows: readonly (readonly [CatalogModel["thinking"], string, string | null | undefined])[] = [
    ["none", "gemini-3.8-flash", undefined],
    [{ effort: "medium" }, "gemini-3.8-flash", "medium"],
    [{ effort: "xhigh" }, "gemini-3.8-flash", "high"],
    [{ budgetTokens: 500 }, "gemini-3.8-flash", "low"],
    [{ effort: "medium" }, "gemini-2.5-pro", "medium"],
    [{ budgetTokens: 500 }, "gemini-2.5-pro", "low"],
    [{ budgetTokens: 1_025 }, "gemini-2.5-pro", "medium"],
    [{ budgetTokens: 24_576 }, "gemini-2.5-pro", "high"],
    [{ budgetTokens: 32_768 }, "gemini-2.5-pro", "xhigh"],
    [{ effort: "xhigh" }, "gemini-2.5-pro", "high"],
    [{ effort: "high" }, "gemini-2.0-flash", undefined],
  ];
  for (const [thinking, model, effort] of rows) {
    const expected = effort === undefined ? null : { effort, summary: "auto" };
    assert.deepEqual(reportThinking(thinking, traitsOf(model)), expected, model);
  }
});

test("an entry's thinking becomes a budget, an effort or nothing, however the entry is written", () => {
  const rows: readonly (readonly [CatalogModel["thinking"], string, CatalogModel["thinking"]])[] = [
    [{ effort: "low" }, "gemini-2.5-flash", { budgetTokens: 1_024 }],
    [{ effort: "xhigh" }, "gemini-2.5-pro", { budgetTokens: 24_576 }],
    [{ budgetTokens: 500 }, "gemini-2.5-pro", { budgetTokens: 500 }],
    [{ budgetTokens: 500 }, "gemini-3.8-flash", { effort: "low" }],
    [{ budgetTokens: 9_000 }, "gemini-3.8-flash", { effort: "high" }],
    [{ effort: "medium" }, "gemini-3.8-flash", { effort: "medium" }],
    [{ effort: "medium" }, "gemini-2.0-flash", "none"],
    [{ budgetTokens: 500 }, "gemma-3-27b-it", "none"],
    ["none", "gemini-2.5-pro", "none"],
  ];
  for (const [thinking, model, sent] of rows) {
    assert.deepEqual(thinkingSent(thinking, traitsOf(model)), sent, model);
    // Encoding the result again gives the same.
    assert.deepEqual(encodeThinking(sent, traitsOf(model)), encodeThinking(thinking, traitsOf(model)), model);
  }
});
