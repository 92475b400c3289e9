// Holds and charges of a response. Amounts are nano-credits. See docs/decisions/money.md
import type { BudgetPeriod, BudgetScope } from "../../contract/money.ts";

/** The funds of a response of a priced model; responses of free models have none. */
export interface ResponseFunds {
  /**
   * The price snapshot (core/money/prices.ts) as JSON. The response is charged by it, even if the catalog changes
   * meanwhile.
   */
  readonly prices: string;
  /** The amount to reserve before the response runs: its estimated input and the first slice of its output. */
  readonly holdNano: bigint;
}

/** Which limit an amount exceeded. */
export type Shortage = {
  /** Reserved for running responses, this one among them. */
  readonly heldNano: bigint;
  /** Reserved for this response; zero when it begins. */
  readonly ownNano: bigint;
  /** What it lacks beyond that. */
  readonly neededNano: bigint;
} & (
  | {
      readonly kind: "credits";
      /** The organization's balance. */
      readonly creditsNano: bigint;
    }
  | {
      readonly kind: "budget";
      readonly scope: BudgetScope;
      /** The key or member; null in the other scopes. */
      readonly id: string | null;
      readonly period: BudgetPeriod;
      readonly limitNano: bigint;
      readonly spentNano: bigint;
    }
);

/** The outcome of a hold's extension: the needed amount with all or part of the amount ahead, or 0. */
export interface HoldExtension {
  readonly grantedNano: bigint;
  /**
   * Why the needed amount was not granted; null when it was, when none was needed, or when the response no longer runs.
   */
  readonly shortage: Shortage | null;
}

/** The cost of an ended response. */
export interface Charge {
  readonly chargedNano: bigint;
  /** The part that neither hold nor balance could pay; the service bears it. */
  readonly shortfallNano: bigint;
}
