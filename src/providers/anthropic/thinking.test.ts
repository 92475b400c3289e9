import assert from "node:assert/strict";
import test from "node:test";
import type { CatalogModel } from "../../core/catalog.ts";
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

test("each kind of model thinks as the catalog says, in its own words", () => {
  const high = { effort: "high" };
  const budget = { budgetTokens: 4_000 };
  const rows: [string, CatalogModel["thinking"], object][] = [
    ["claude-opus-5-5", high, { thinking: bound, effort: "high", betas: [beta] }],
    // It can't be off, and takes no budget.
    ["claude-opus-5-5", "none", { thinking: bound, betas: [beta] }],
    ["claude-opus-5-5", budget, { thinking: bound, betas: [beta] }],
    ["claude-haiku-5-5", high, { thinking: bound, effort: "high", betas: [beta] }],
    ["claude-haiku-5-5", "none", { thinking: disabled, betas: [] }],
    ["claude-opus-5", high, { thinking: adaptive, effort: "high", betas: [] }],
    ["claude-opus-5", "none", { thinking: disabled, betas: [] }],
    ["claude-sonnet-5", budget, { thinking: adaptive, betas: [] }],
    ["claude-opus-4-8", "none", { betas: [] }],
    ["claude-opus-4-8", { effort: "xhigh" }, { thinking: adaptive, effort: "xhigh", betas: [] }],
    ["claude-haiku-4-5-20251001", budget, { thinking: { type: "enabled", budget_tokens: 4_000 }, betas: [] }],
    ["claude-haiku-4-5", high, { betas: [] }],
    ["claude-haiku-4-5", "none", { betas: [] }],
    // Of a model that is not known only what the catalog says is said.
    ["claude-next", "none", { betas: [] }],
    ["claude-next", high, { thinking: adaptive, effort: "high", betas: [] }],
    ["claude-next", budget, { thinking: { type: "enabled", budget_tokens: 4_000 }, betas: [] }],
    ["claude-next", { effort: "unheard of" }, { thinking: adaptive, betas: [] }],
  ];
  for (const [model, thinking, encoded] of rows) assert.deepEqual(encode(model, thinking), encoded, model);
});

test("a model that is forced to call a tool does not think", () => {
  const forced = (model: string, thinking: CatalogModel["thinking"]) => encode(model, thinking, { isForced: true });
  assert.deepEqual(forced("claude-opus-5", { effort: "high" }), { thinking: disabled, effort: "high", betas: [] });
  // Above `high` it can't be off.
  assert.deepEqual(forced("claude-sonnet-5", { effort: "xhigh" }), { thinking: disabled, effort: "high", betas: [] });
  assert.deepEqual(forced("claude-haiku-5-5", { effort: "medium" }), {
    thinking: disabled,
    effort: "medium",
    betas: [],
  });
  assert.deepEqual(forced("claude-haiku-4-5", { budgetTokens: 4_000 }), { betas: [] });
});

test("a budget fits below max_tokens, or is none", () => {
  const budgetOf = (budgetTokens: number, maxTokens: number) =>
    encode("claude-haiku-4-5", { budgetTokens }, { maxTokens }).thinking;
  assert.deepEqual(budgetOf(4_000, 3_000), { type: "enabled", budget_tokens: 2_999 });
  assert.deepEqual(budgetOf(10, 3_000), { type: "enabled", budget_tokens: 1_024 });
  assert.deepEqual(budgetOf(4_000, 1_025), { type: "enabled", budget_tokens: 1_024 });
  assert.equal(budgetOf(4_000, 1_024), undefined);
  // A model that is not known is told of its budget or nothing: adaptive thinking is not what its entry says.
  assert.deepEqual(encode("claude-next", { budgetTokens: 4_000 }, { maxTokens: 1_024 }), { betas: [] });
});

test("a budget is not spent on calls that were made without thinking; an adaptive model may think of them", () => {
  const unthought = { hasUnthoughtCalls: true };
  assert.deepEqual(encode("claude-haiku-4-5", { budgetTokens: 4_000 }, unthought), { betas: [] });
  assert.deepEqual(encode("claude-next", { budgetTokens: 4_000 }, unthought), { betas: [] });
  assert.deepEqual(encode("claude-opus-5", { effort: "high" }, unthought).thinking, adaptive);
});

test("every model of the catalog is known, and can be forced only where it need not think", () => {
  for (const { upstreamModel, forcedToolChoice } of ANTHROPIC_MODELS) {
    const { thinking } = traitsOf(upstreamModel);
    assert.notEqual(thinking, "unknown", upstreamModel);
    assert.equal(forcedToolChoice, thinking !== "always", upstreamModel);
  }
});

test("a response reports what was asked for: an effort, thinking without one, or that it was off this time", () => {
  const report = (...question: Parameters<typeof encode>) =>
    reportThinking(sampleModel({ thinking: question[1] }), encode(...question));
  const high = { effort: "high" };
  const budget = { budgetTokens: 4_000 };
  const off = { effort: "none", summary: null };
  assert.deepEqual(report("claude-opus-5-5", high), { effort: "high", summary: "auto" });
  assert.deepEqual(report("claude-opus-5-5", "none"), { effort: null, summary: "auto" });
  assert.deepEqual(report("claude-opus-5-5", { effort: "max" }), { effort: null, summary: "auto" });
  assert.deepEqual(report("claude-haiku-4-5", budget), { effort: null, summary: "auto" });
  assert.deepEqual(report("claude-haiku-4-5", budget, { isForced: true }), off);
  assert.deepEqual(report("claude-haiku-4-5", budget, { hasUnthoughtCalls: true }), off);
  assert.deepEqual(report("claude-opus-5", high, { isForced: true }), off);
  assert.equal(report("claude-opus-5", "none"), null);
  assert.equal(report("claude-haiku-4-5", "none", { isForced: true }), null);
});
