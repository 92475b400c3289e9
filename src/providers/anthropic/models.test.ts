import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { ANTHROPIC_MODELS } from "./models.ts";

test("the catalog has six models", () => {
  const rows = ANTHROPIC_MODELS.map(({ id, contextWindow, maxOutputTokens, prices, forcedToolChoice }) => [
    id,
    contextWindow,
    maxOutputTokens,
    `${prices.input}/${prices.output}/${prices.cached_input}/${prices.cache_write}`,
    forcedToolChoice,
  ]);
  assert.deepEqual(rows, [
    ["anthropic/claude-fable-5-2", 1_000_000, 128_000, "8/40/0.2/10", false],
    ["anthropic/claude-opus-5-5", 1_000_000, 128_000, "4/20/0.2/5", false],
    ["anthropic/claude-sonnet-5-5", 1_000_000, 128_000, "2/10/0.1/2.5", false],
    ["anthropic/claude-haiku-5-5", 1_000_000, 128_000, "0.1/0.5/0.01/0.125", true],
    ["anthropic/claude-opus-5", 1_000_000, 128_000, "5/25/0.5/6.25", true],
    ["anthropic/claude-sonnet-5", 1_000_000, 128_000, "2/10/0.2/2.5", true],
  ]);
});

test("each model has group A, an end-user field, a default within its limit and a plausible date", () => {
  for (const model of ANTHROPIC_MODELS) {
    assert.deepEqual([...model.settings], ["parallel_tool_calls", "text.format"]);
    assert.equal(model.hasEndUserField, true);
    assert.ok(model.defaultOutputTokens <= model.maxOutputTokens);
    assert.ok(Number.isInteger(model.created) && model.created > 1_780_000_000, model.id);
  }
});

test("long inputs of the small model cost more", () => {
  const tiers = ANTHROPIC_MODELS.map(({ tiers: own }) =>
    own?.map(({ aboveInputTokens, prices }) => [aboveInputTokens, prices.input]),
  );
  assert.deepEqual(tiers, [undefined, undefined, undefined, [[100_000, 0.5]], undefined, undefined]);
});

test("the documentation lists each model with its numbers", () => {
  const page = readFileSync(new URL("../../../docs/providers/anthropic.md", import.meta.url), "utf8");
  const count = (value: number) => value.toLocaleString("en-US");
  for (const {
    id,
    contextWindow,
    maxOutputTokens,
    thinking,
    forcedToolChoice,
    prices,
    tiers = [],
  } of ANTHROPIC_MODELS) {
    const words = [
      { from: "", own: prices },
      ...tiers.map((tier) => ({ from: `above ${count(tier.aboveInputTokens)}: `, own: tier.prices })),
    ].map(({ from, own }) => `${from}${own.input} / ${own.cached_input} / ${own.cache_write} / ${own.output}`);
    const effort = typeof thinking === "object" && "effort" in thinking ? thinking.effort : "none";
    const forced = forcedToolChoice ? "yes" : "no";
    const numbers = `${count(contextWindow)} | ${count(maxOutputTokens)}`;
    const row = `| \`${id}\` | ${numbers} | ${effort} | ${forced} | ${words.join("; ")} |`;
    assert.ok(page.includes(row), row);
  }
});
