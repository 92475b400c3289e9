// The targets of a response's model while it runs: in which order they are tried, and what each of them is sent.
// docs/decisions/targets.md
import { ApiError } from "../../contract/errors.ts";
import type { RetryCondition, TargetModel } from "../../core/models/catalog.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Provider } from "../../ports/provider.ts";
import type { FirstHold } from "../money/first-hold.ts";
import type { Circuits } from "../providers/circuits.ts";

/** What a run knows of the targets of its model, of the model set that it was planned with. */
export interface TurnTargets {
  /** Those that may run it, in the order in which they are tried; the plan is for the first one. */
  readonly ranked: readonly TargetModel[];
  /** The failures after which another one is tried. */
  readonly retry: ReadonlySet<RetryCondition>;
  /** Plans a response that has begun for another target. Rejects with a 400 if that does not take it. */
  planOn(plan: Plan, target: TargetModel): Promise<Plan>;
  providerOf(target: Plan["model"]): Provider;
  /** The hold for a plan at the prices of its target; null: all targets of the model are free. */
  holdOf(plan: Plan): FirstHold | null;
}

/** The plan, or the 400 of a target that does not take the request: by its settings, its tools or its window. */
export async function planUnlessRejected(plan: () => Promise<Plan>): Promise<Plan | ApiError> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error;
    throw error;
  }
}

/** The target to ask next. */
export interface TargetChoice {
  readonly target: TargetModel;
  /** How long it is to be left alone by its provider's Retry-After, milliseconds. */
  readonly askedForMs: number;
  /** Whether this turn has asked it before. */
  readonly isTried: boolean;
}

/**
 * The target that can be asked soonest. Of several that are awake, those that were not tried yet come first, then the
 * order of the turn decides. Null: all are out.
 */
export function chooseTarget(
  circuits: Pick<Circuits, "readinessOf">,
  ranked: readonly TargetModel[],
  { tried, out }: { readonly tried: ReadonlySet<TargetModel>; readonly out: ReadonlySet<TargetModel> },
): TargetChoice | null {
  let best: (TargetChoice & { readonly restsForMs: number }) | null = null;
  for (const target of ranked) {
    if (out.has(target)) continue;
    const one = { target, isTried: tried.has(target), ...circuits.readinessOf(target.target) };
    const isSooner = best === null || one.restsForMs < best.restsForMs;
    if (isSooner || (one.restsForMs === best?.restsForMs && best.isTried && !one.isTried)) best = one;
  }
  return best;
}
