// Plans the response of a model with targets: at the first one that takes it. docs/decisions/targets.md
import { ApiError, invalidInput } from "../../contract/errors.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { TargetModel } from "../../core/models/catalog.ts";
import { rankTargets, targetOfRounds } from "../../core/models/targets.ts";
import { type Plan, planOnTarget } from "../../core/response/plan.ts";
import { continuedOf, type OpenedPlan, type PlanDraft } from "../../core/response/planning.ts";
import type { ModelSet } from "../../ports/model-set.ts";
import type { Window } from "../../ports/store/histories.ts";
import type { Capacity } from "../gateway.ts";
import { planFirstHold } from "../money/first-hold.ts";
import type { Circuits } from "../providers/circuits.ts";
import { planUnlessRejected, type TurnTargets } from "../run/turn-targets.ts";

/** A draft of a response that has begun, with the history as it is now. */
export interface DraftedAgain {
  readonly draft: PlanDraft;
  readonly window: Window;
}

/** What plans a response, whichever target it is for. */
interface TargetPlanner {
  readonly opened: OpenedPlan;
  readonly modelSet: ModelSet;
  readonly id: ResponseId;
  planOn(target: TargetModel): Promise<Plan>;
  draftAgain(target: TargetModel): Promise<DraftedAgain>;
}

/** Plans the response at one of these targets, with what its run needs to go on at another. Throws 400. */
export async function planAtTargets(
  { circuits }: Pick<Capacity, "circuits">,
  targets: readonly TargetModel[],
  { opened, modelSet, id, planOn, draftAgain }: TargetPlanner,
): Promise<{ readonly plan: Plan; readonly targets: TurnTargets }> {
  const first = targetOfRounds(continuedOf(opened)?.states ?? []);
  const order = { ranked: rankTargets(targets, { seed: id, first }), first };
  const { plan, ranked } = await planOnFirst(circuits, order, opened.history?.turns ?? 0, planOn);
  return {
    plan,
    targets: {
      ranked,
      retry: opened.model.retry ?? new Set(),
      async planOn(begun, target) {
        const { draft, window } = await draftAgain(target);
        const other = planOnTarget(begun, draft, window);
        assertSupported(modelSet, other);
        return other;
      },
      providerOf: ({ provider }) => modelSet.providers.get(provider),
      holdOf: (of) => planFirstHold(modelSet, of),
    },
  };
}

/** Throws 400 for what the provider of a plan's model has no way to send. */
export function assertSupported({ providers }: ModelSet, { model, prompt }: Plan): void {
  const unsupported = providers.get(model.provider).unsupportedOf?.(model, prompt) ?? null;
  if (unsupported !== null) throw invalidInput(unsupported.param, unsupported.message);
}

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
 * Plans for the first target that takes the request with all `historyTurns` of the history, or that ran the earlier
 * rounds of the turn; else, with `truncation: auto`, for the first that takes it with fewer turns. Targets that are
 * awake come before those that rest. If none takes the request, throws the 400 of the first one in the turn's order.
 */
async function planOnFirst(
  { readinessOf }: Pick<Circuits, "readinessOf">,
  { ranked, first }: TargetOrder,
  historyTurns: number,
  planOn: (target: TargetModel) => Promise<Plan>,
): Promise<PlannedOnFirst> {
  const rests = new Map(ranked.map(({ target }) => [target, readinessOf(target).restsForMs]));
  const restOf = ({ target }: TargetModel) => rests.get(target) ?? 0;
  const rejections = new Map<TargetModel, ApiError>();
  let shortened: Plan | null = null;
  const planned = (plan: Plan): PlannedOnFirst => {
    const others = ranked.filter((target) => target !== plan.model && !rejections.has(target));
    return { plan, ranked: [plan.model as TargetModel, ...others] };
  };
  for (const target of ranked.toSorted((one, other) => restOf(one) - restOf(other))) {
    // oxlint-disable-next-line no-await-in-loop -- the next target is for what this one does not take
    const plan = await planUnlessRejected(() => planOn(target));
    if (plan instanceof ApiError) rejections.set(target, plan);
    else if (plan.historyTurns >= historyTurns || target.target === first) return planned(plan);
    else shortened ??= plan;
  }
  if (shortened !== null) return planned(shortened);
  const [rejection] = ranked.flatMap((target) => rejections.get(target) ?? []);
  throw rejection ?? new Error("A model has no targets.");
}
