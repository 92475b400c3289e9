// The first hold of a response, and the error when there is too little for it. The money of a response, in order:
//
//   first hold  begin reserves the estimated input and the first slice of output
//   extensions  while it runs, spending-meter.ts compares the output with the hold and extends it
//   stop        if nothing pays for more output, the response fails with the error of spending-stop.ts
//   charge      the store charges the reported usage when the response settles, and returns the rest of the hold
//
// docs/wire.md (Spending checks); docs/decisions/money.md
import { ApiError } from "../../contract/errors.ts";
import { estimateTokens } from "../../contract/characters.ts";
import { boundInput } from "../../core/money/input-bound.ts";
import { costOf, type PriceSnapshot } from "../../core/money/prices.ts";
import { budgetUsedUpMessage, tooFewCreditsMessage } from "../../core/money/messages.ts";
import type { Pricing, TargetModel } from "../../core/models/catalog.ts";
import { noCreditsError } from "../../core/access/entitlement.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Shortage, ResponseFunds } from "../../ports/store/funds.ts";
import type { ModelSet } from "../../ports/model-set.ts";

/** Tokens of output that are reserved before a response runs (docs/wire.md, Spending checks). */
export const FIRST_SLICE_TOKENS = 1000;

/** The hold that a response asks for when it begins, and the estimate behind it. */
export interface FirstHold {
  /** The prices and the amount, as the store takes them. */
  readonly funds: ResponseFunds;
  readonly snapshot: PriceSnapshot;
  /** The most tokens that the provider can count in what is sent. */
  readonly inputTokens: number;
  /** Tokens of output that the hold pays for. */
  readonly sliceTokens: number;
}

/** Plans the first hold of a response at the prices of its model, or of the target that it is planned for; null: free. */
export function planFirstHold({ catalog }: Pick<ModelSet, "catalog">, plan: Plan): FirstHold | null {
  const pricing = catalog.pricingOf(plan.model);
  return pricing === null ? null : holdAt(pricing, sizeOf(plan));
}

/** Plans the first hold of a response that any of these targets may run: that of the dearest; null: all are free. */
export function planDearestHold(
  { catalog }: Pick<ModelSet, "catalog">,
  plan: Plan,
  targets: readonly TargetModel[],
): FirstHold | null {
  const size = sizeOf(plan);
  const holds = targets.map((target) => catalog.pricingOf(target)).map((pricing) => pricing && holdAt(pricing, size));
  return holds.reduce((dearest, hold) => (amountOf(hold) > amountOf(dearest) ? hold : dearest), holds[0] ?? null);
}

type HoldSize = Pick<FirstHold, "inputTokens" | "sliceTokens">;

function sizeOf({ promptCharacters, prompt }: Plan): HoldSize {
  const inputTokens = Math.max(estimateTokens(promptCharacters), boundInput(prompt));
  return { inputTokens, sliceTokens: Math.min(FIRST_SLICE_TOKENS, prompt.maxOutputTokens) };
}

function holdAt({ snapshot, text }: Pricing, size: HoldSize): FirstHold {
  const holdNano = costOf(snapshot, size.inputTokens, size.sliceTokens);
  return { funds: { prices: text, holdNano }, snapshot, ...size };
}

function amountOf(hold: FirstHold | null): bigint {
  return hold === null ? -1n : hold.funds.holdNano;
}

/**
 * The error for a response that cannot begin: 429 `scope_budget_exceeded`, `insufficient_quota` or
 * `insufficient_credits`.
 */
export function shortageError(shortage: Shortage): ApiError {
  if (shortage.kind === "budget") return new ApiError("scope_budget_exceeded", budgetUsedUpMessage(shortage));
  if (shortage.creditsNano <= 0n && shortage.heldNano === 0n) return noCreditsError();
  return new ApiError("insufficient_credits", tooFewCreditsMessage(shortage));
}
