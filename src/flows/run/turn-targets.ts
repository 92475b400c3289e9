// The targets of a response's model while it runs: in which order they are tried, and what each of them is sent.
// docs/decisions/targets.md
import type { RetryCondition, TargetModel } from "../../core/models/catalog.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Provider } from "../../ports/provider.ts";
import type { FirstHold } from "../money/first-hold.ts";

/** What a run knows of the targets of its model, of the model set that it was planned with. */
export interface TurnTargets {
  /** In the order in which they are tried. */
  readonly ranked: readonly TargetModel[];
  /** The failures after which another one is tried. */
  readonly retry: ReadonlySet<RetryCondition>;
  /** Plans a response that has begun for another target. Rejects with a 400 if that does not take it. */
  planOn(plan: Plan, target: TargetModel): Promise<Plan>;
  providerOf(target: Plan["model"]): Provider;
  /** The hold for a plan at the prices of its target; null: all targets of the model are free. */
  holdOf(plan: Plan): FirstHold | null;
}
