// What a turn sets aside before it runs, and the refusal when there is too little. docs/wire.md, settled 14; docs/decisions/money.md
import { countCharacters, estimateTokens } from "../../contract/characters.ts";
import { Refusal } from "../../contract/errors.ts";
import { costOf, type PriceSnapshot } from "../../core/accounts/prices.ts";
import { sayBudgetTooSmall, sayCreditsTooFew } from "../../core/accounts/spend.ts";
import { refuseNoCredits } from "../../core/accounts/entitlement.ts";
import type { Plan } from "../../core/turn/plan.ts";
import type { Shortage, TurnFunds } from "../../ports/funds.ts";
import type { World } from "../../ports/world.ts";

/** Output that is paid for before a turn runs, tokens (docs/wire.md, settled 14). */
const FIRST_SLICE_TOKENS = 1000;

/** The money of a turn whose model has a price. */
export interface PlannedFunds extends TurnFunds {
  readonly snapshot: PriceSnapshot;
  /** Estimate of what is sent. */
  readonly inputTokens: number;
  /** Of the hold: tokens of output. */
  readonly sliceTokens: number;
}

/** What a planned turn sets aside; null: its model is free. */
export function planFunds({ catalog }: Pick<World, "catalog">, plan: Plan): PlannedFunds | null {
  const pricing = catalog.pricingOf(plan.model.id);
  if (pricing === null) return null;
  const { snapshot, text } = pricing;
  const { tools, maxOutputTokens } = plan.prompt;
  const toolCharacters = tools.length === 0 ? 0 : countCharacters(JSON.stringify(tools));
  const inputTokens = estimateTokens(plan.promptCharacters + toolCharacters);
  const sliceTokens = Math.min(FIRST_SLICE_TOKENS, maxOutputTokens);
  return { prices: text, holdNano: costOf(snapshot, inputTokens, sliceTokens), snapshot, inputTokens, sliceTokens };
}

/** The refusal that a shortage at the door is: 429 `scope_budget_exceeded`, `insufficient_quota` or `insufficient_credits`. */
export function refuseShortage(shortage: Shortage): Refusal {
  if (shortage.kind === "budget") return new Refusal("scope_budget_exceeded", sayBudgetTooSmall(shortage));
  if (shortage.creditsNano <= 0n) return refuseNoCredits();
  return new Refusal("insufficient_credits", sayCreditsTooFew(shortage));
}
