import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/models/catalog.ts";
import { sampleModel } from "../../../test/support/provider-samples.ts";
import { traitsOf } from "./model-traits.ts";
import { ANTHROPIC_MODELS } from "./models.ts";
import { encodeThinking, reportThinking } from "./thinking.ts";

function encode(
  upstreamModel: string,
  thinking: CatalogModel["thinking"],
  changes: { isForced?: boolean; hasUnthoughtCalls?: boolean; maxTokens?: number } = {},
) {
  const model = sampleModel({ upstreamModel, thinking });
  return encodeThinking({
    model,
    traits: traitsOf(upstreamModel),
    isForced: changes.isForced ?? false,
    hasUnthoughtCalls: () => changes.hasUnthoughtCalls ?? false,
    maxTokens: changes.maxTokens ?? 8_000,
  });
}

const beta = "thinking-binding-controls-2026-08-01";
const adaptive = { type: "adaptive", display: "summarized" };
const bound = { ...adaptive, block_binding: { prefix_mismatch_behavior: "drop_block" } };
const disabled = { type: "disabled" };

test("each kind of model gets the catalog's thinking in its own form", () => {
  const high = { effort: "high" } as const;
  const budget = { budgetTokens: 4_000 };
  const rows: [string, CatalogModel["thinking"], object][] = [
    ["claude-opus-5-5", high, { thinking: bound, effort: "high", betas: [beta] }],
    // These models cannot switch thinking off, so `none` sends their default effort; they take no budget, so one is sent
    // as the equivalent effort.
    ["claude-opus-5-5", "none", { thinking: bound, effort: "medium", betas: [beta] }],
    ["claude-sonnet-5-5", "none", { thinking: bound, effort: "high", betas: [beta] }],
    ["claude-opus-5-5", budget, { thinking: bound, effort: "medium", betas: [beta] }],
    ["claude-opus-5-5", { budgetTokens: 64_000 }, { thinking: bound, effort: "xhigh", betas: [beta] }],
    ["claude-haiku-5-5", high, { thinking: bound, effort: "high", betas: [beta] }],
    ["claude-haiku-5-5", "none", { thinking: disabled, betas: [] }],
    ["claude-opus-5", high, { thinking: adaptive, effort: "high", betas: [] }],
    ["claude-opus-5", "none", { thinking: disabled, betas: [] }],
    ["claude-sonnet-5", budget, { thinking: adaptive, effort: "medium", betas: [] }],
    ["claude-opus-4-8", "none", { betas: [] }],
    ["claude-opus-4-8", { effort: "xhigh" }, { thinking: adaptive, effort: "xhigh", betas: [] }],
    ["claude-haiku-4-5-20251001", budget, { thinking: { type: "enabled", budget_tokens: 4_000 }, betas: [] }],
    // These models take no effort: it is sent as the equivalent budget, as far as there is room.
    ["claude-haiku-4-5", { effort: "low" }, { thinking: { type: "enabled", budget_tokens: 1_024 }, betas: [] }],
    ["claude-haiku-4-5", high, { thinking: { type: "enabled", budget_tokens: 7_999 }, betas: [] }],
    ["claude-haiku-4-5", "none", { betas: [] }],
    // For an unknown model exactly the catalog's thinking is sent.
    ["claude-next", "none", { betas: [] }],
    ["claude-next", high, { thinking: adaptive, effort: "high", betas: [] }],
    ["claude-next", budget, { thinking: { type: "enabled", budget_tokens: 4_000 }, betas: [] }],
  ];
  for (const [model, thinking, encoded] of rows) assert.deepEqual(encode(model, thinking), encoded, model);
});

test("a model with a forced tool call does not think", () => {
  const forced = (model: string, thinking: CatalogModel["thinking"]) => encode(model, thinking, { isForced: true });
  assert.deepEqual(forced("claude-opus-5", { effort: "high" }), { thinking: disabled, effort: "high", betas: [] });
  // Thinking cannot be off above `high`.
  assert.deepEqual(forced("claude-sonnet-5", { effort: "xhigh" }), { thinking: disabled, effort: "high", betas: [] });
  assert.deepEqual(forced("claude-haiku-5-5", { effort: "medium" }), {
    thinking: disabled,
    effort: "medium",
    betas: [],
  });
  assert.deepEqual(forced("claude-haiku-4-5", { budgetTokens: 4_000 }), { betas: [] });
});

test("a budget stays below max_tokens, or is left out", () => {
  const budgetOf = (budgetTokens: number, maxTokens: number) =>
    encode("claude-haiku-4-5", { budgetTokens }, { maxTokens }).thinking;
  assert.deepEqual(budgetOf(4_000, 3_000), { type: "enabled", budget_tokens: 2_999 });
  assert.deepEqual(budgetOf(10, 3_000), { type: "enabled", budget_tokens: 1_024 });
  assert.deepEqual(budgetOf(4_000, 1_025), { type: "enabled", budget_tokens: 1_024 });
  assert.equal(budgetOf(4_000, 1_024), undefined);
  // An unknown model gets its budget or nothing: its entry does not ask for adaptive thinking.
  assert.deepEqual(encode("claude-next", { budgetTokens: 4_000 }, { maxTokens: 1_024 }), { betas: [] });
});

test("a model with a budget does not think about calls made without thinking; an adaptive model may", () => {
  const unthought = { hasUnthoughtCalls: true };
  assert.deepEqual(encode("claude-haiku-4-5", { budgetTokens: 4_000 }, unthought), { betas: [] });
  assert.deepEqual(encode("claude-next", { budgetTokens: 4_000 }, unthought), { betas: [] });
  assert.deepEqual(encode("claude-opus-5", { effort: "high" }, unthought).thinking, adaptive);
});

test("every catalog model has traits, and takes a forced call only if its thinking can be off", () => {
  for (const { upstreamModel, forcedToolChoice } of ANTHROPIC_MODELS) {
    const { thinking } = traitsOf(upstreamModel);
    assert.notEqual(thinking, "unknown", upstreamModel);
    assert.equal(forcedToolChoice, thinking !== "always", upstreamModel);
  }
});

test("a response reports the requested effort, the one equivalent to a budget, or none for thinking that was off", () => {
  const report = (...question: Parameters<typeof encode>) =>
    reportThinking(sampleModel({ thinking: question[1] }), encode(...question));
  const high = { effort: "high" } as const;
  const budget = { budgetTokens: 4_000 };
  const off = { effort: "none", summary: null };
  assert.deepEqual(report("claude-opus-5-5", high), { effort: "high", summary: "auto" });
  assert.deepEqual(report("claude-opus-5-5", "none"), { effort: "medium", summary: "auto" });
  assert.deepEqual(report("claude-fable-5-2", "none"), { effort: "high", summary: "auto" });
  assert.deepEqual(report("claude-opus-5-5", { budgetTokens: 9_000 }), { effort: "high", summary: "auto" });
  assert.deepEqual(report("claude-haiku-4-5", budget), { effort: "medium", summary: "auto" });
  assert.deepEqual(report("claude-next", budget), { effort: "medium", summary: "auto" });
  // The budget sent counts: 4,000 tokens left room for 1,024.
  assert.deepEqual(report("claude-haiku-4-5", budget, { maxTokens: 1_025 }), { effort: "low", summary: "auto" });
  assert.deepEqual(report("claude-haiku-4-5", budget, { maxTokens: 1_024 }), off);
  assert.deepEqual(report("claude-haiku-4-5", budget, { isForced: true }), off);
  assert.deepEqual(report("claude-haiku-4-5", budget, { hasUnthoughtCalls: true }), off);
  assert.deepEqual(report("claude-opus-5", high, { isForced: true }), off);
  assert.equal(report("claude-opus-5", "none"), null);
  assert.equal(report("claude-haiku-4-5", "none", { isForced: true }), null);
});
