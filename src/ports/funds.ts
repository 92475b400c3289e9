// What a turn asks of its organization's money, and what it is answered. Amounts are nano-credits. docs/decisions/money.md
import type { BudgetPeriod, BudgetScope } from "../contract/spending.ts";

/** What a turn may cost; a model that is free has none. */
export interface TurnFunds {
  /** The price snapshot (core/accounts/prices.ts) as JSON: what the turn is charged by, whatever the catalog says when it ends. */
  readonly prices: string;
  /** What is set aside before it runs: its input as it is estimated, and the first slice of its output. */
  readonly holdNano: bigint;
}

/** What there was too little of. */
export type Shortage =
  | {
      readonly kind: "credits";
      /** What the organization may still spend. */
      readonly creditsNano: bigint;
      readonly neededNano: bigint;
    }
  | {
      readonly kind: "budget";
      readonly scope: BudgetScope;
      readonly period: BudgetPeriod;
      readonly limitNano: bigint;
      readonly spentNano: bigint;
      /** Set aside for running turns. */
      readonly heldNano: bigint;
      readonly neededNano: bigint;
    };

/** What became of asking for more while a turn runs: all, a part, or (0) nothing of it. */
export interface HoldExtension {
  readonly grantedNano: bigint;
  /** Why nothing was granted; null when something was, or when the turn does not run any more. */
  readonly shortage: Shortage | null;
}

/** What a turn that ended has cost. */
export interface Charge {
  readonly chargedNano: bigint;
  /** Of it what neither hold nor balance could pay: the service bears it. */
  readonly shortfallNano: bigint;
}
