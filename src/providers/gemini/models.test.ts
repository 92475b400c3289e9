import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { MODEL_GROUPS } from "../../contract/settings.ts";
import { GEMINI_MODELS } from "./models.ts";

test("the catalog has six models of group B with consistent sizes", () => {
  assert.equal(new Set(GEMINI_MODELS.map(({ id }) => id)).size, 6);
  for (const model of GEMINI_MODELS) {
    assert.deepEqual([...model.settings], MODEL_GROUPS.B);
    assert.equal(model.id, `google/${model.upstreamModel}`);
    assert.equal(model.hasEndUserField, false);
    assert.ok(model.defaultOutputTokens <= model.maxOutputTokens && model.maxOutputTokens < model.contextWindow);
    // The usable window of a turn without settings.
    assert.ok(model.contextWindow - 1.15 * model.defaultOutputTokens - 2_000 > 900_000);
    const { input, output, cached_input, cache_write } = model.prices;
    assert.ok(cached_input < input && input < output && cache_write === 0);
  }
});

test("the documentation lists each model with its numbers", () => {
  const page = readFileSync(new URL("../../../docs/providers/gemini.md", import.meta.url), "utf8");
  const count = (value: number) => value.toLocaleString("en-US");
  for (const { id, contextWindow, maxOutputTokens, thinking, prices, tiers } of GEMINI_MODELS) {
    const words = [prices, ...(tiers ?? []).map((tier) => tier.prices)]
      .map(({ input, cached_input, output }) => `${input} / ${cached_input} / ${output}`)
      .join(`; above ${count(tiers?.[0]?.aboveInputTokens ?? 0)}: `);
    const effort = typeof thinking === "object" && "effort" in thinking ? thinking.effort : "none";
    const row = `| \`${id}\` | ${count(contextWindow)} | ${count(maxOutputTokens)} | ${effort} | ${words} |`;
    assert.ok(page.includes(row), row);
  }
});
