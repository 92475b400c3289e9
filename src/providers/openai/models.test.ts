import assert from "node:assert/strict";
import test from "node:test";
import { MODEL_GROUPS } from "../../contract/settings.ts";
import { OPENAI_MODELS } from "./models.ts";

test("the catalog has one model of group C with consistent sizes", () => {
  assert.equal(OPENAI_MODELS.length, 1);
  for (const model of OPENAI_MODELS) {
    assert.deepEqual([...model.settings], [...MODEL_GROUPS.C]);
    assert.equal(model.id, `openai/${model.upstreamModel}`);
    assert.ok(model.defaultOutputTokens <= model.maxOutputTokens);
    assert.ok(model.maxOutputTokens < model.contextWindow);
    assert.ok(model.forcedToolChoice && model.hasEndUserField);
    for (const { aboveInputTokens, prices } of model.tiers ?? []) {
      assert.ok(aboveInputTokens < model.contextWindow);
      assert.ok(prices.input > model.prices.input && prices.output > model.prices.output);
    }
  }
});
