// Plans the response of a model with targets: at the first one that takes it. docs/decisions/targets.md
import { ApiError } from "../../contract/errors.ts";
import type { TargetModel } from "../../core/models/catalog.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Circuits } from "../providers/circuits.ts";
import { planUnlessRefused } from "../run/turn-targets.ts";

/** A plan, and the targets that may run it: the one that it is for, then the others in their order. */
interface PlannedOnFirst {
  readonly plan: Plan;
  readonly ranked: readonly TargetModel[];
}

/** How the targets of a turn are tried. */
interface TargetOrder {
  /** In the order of the turn. */
  readonly ranked: readonly TargetModel[];
  /** Where the turn's earlier rounds ran; null: nowhere yet. */
  readonly first: string | null;
}

/**
 * The plan for the first target that takes the request with the whole history, awake ones before those that rest; else,
 * with `truncation: auto`, for the first one that takes the request. A turn stays where it ran, if that takes the
 * request. `historyTurns`: turns of the history. Throws the
 * 400 of the first target, in their own order, if none takes it.
 */
export async function planOnFirst(
  { readinessOf }: Pick<Circuits, "readinessOf">,
  { ranked, first }: TargetOrder,
  historyTurns: number,
  planOn: (target: TargetModel) => Promise<Plan>,
): Promise<PlannedOnFirst> {
  const rests = new Map(ranked.map(({ target }) => [target, readinessOf(target).restsForMs]));
  const restOf = ({ target }: TargetModel) => rests.get(target) ?? 0;
  const refusals = new Map<TargetModel, ApiError>();
  let shortened: Plan | null = null;
  const planned = (plan: Plan): PlannedOnFirst => {
    const others = ranked.filter((target) => target !== plan.model && !refusals.has(target));
    return { plan, ranked: [plan.model as TargetModel, ...others] };
  };
  for (const target of ranked.toSorted((one, other) => restOf(one) - restOf(other))) {
    // oxlint-disable-next-line no-await-in-loop -- the next target is for what this one does not take
    const plan = await planUnlessRefused(() => planOn(target));
    if (plan instanceof ApiError) refusals.set(target, plan);
    else if (plan.historyTurns >= historyTurns || target.target === first) return planned(plan);
    else shortened ??= plan;
  }
  if (shortened !== null) return planned(shortened);
  const [refusal] = ranked.flatMap((target) => refusals.get(target) ?? []);
  throw refusal ?? new Error("A model has no targets.");
}
