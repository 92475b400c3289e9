// Plans the response of a model with targets: at the first one that takes it. docs/decisions/targets.md
import { ApiError } from "../../contract/errors.ts";
import type { TargetModel } from "../../core/models/catalog.ts";
import type { Plan } from "../../core/response/plan.ts";

/**
 * The plan for the first target that takes the request with the whole history; else, with `truncation: auto`, for the
 * first one that takes the request. `historyTurns`: turns of the history. Throws the 400 of the first target if none
 * takes it.
 */
export async function planOnFirst(
  targets: readonly TargetModel[],
  historyTurns: number,
  planOn: (target: TargetModel) => Promise<Plan>,
): Promise<Plan> {
  let refusal: ApiError | null = null;
  let shortened: Plan | null = null;
  for (const target of targets) {
    // oxlint-disable-next-line no-await-in-loop -- the next target is for what this one does not take
    const plan = await planUnlessRefused(planOn, target);
    if (plan instanceof ApiError) refusal ??= plan;
    else if (plan.historyTurns >= historyTurns) return plan;
    else shortened ??= plan;
  }
  if (shortened !== null) return shortened;
  throw refusal ?? new Error("A model has no targets.");
}

/** The plan, or the 400 of a target that does not take the request: by its settings, its tools or its window. */
export async function planUnlessRefused(
  planOn: (target: TargetModel) => Promise<Plan>,
  target: TargetModel,
): Promise<Plan | ApiError> {
  try {
    return await planOn(target);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error;
    throw error;
  }
}
