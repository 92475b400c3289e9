// Plans the turn of a create on the history that it continues.
import { invalidInput } from "../../contract/errors.ts";
import { draftPlan, type Plan, planTurn, replanTurn } from "../../core/turn/plan.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Offer } from "../../ports/offer.ts";
import type { Placement } from "../../ports/store/turns.ts";
import type { Gateway } from "../gateway.ts";
import { findHistory, readHistory } from "./continue-history.ts";
import type { Replan } from "../run/running-turn.ts";
import type { Create } from "./creating.ts";

/** A plan, the offer that it was made with, and where its items will be stored. */
export interface Planned {
  readonly plan: Plan;
  readonly offer: Offer;
  readonly placement: Placement;
  /** Plans the prompt again, from the history as it is now (replanTurn); null: the turn continues none. */
  readonly replan: Replan | null;
}

/** Plans the turn. Throws 400, also for what the model's provider has no way to send; the uniform 404. */
export async function planResponse({ services }: Gateway, { admitted, request }: Create): Promise<Planned> {
  const { caller, organization, unansweredCalls } = admitted;
  const { ids, clock, secrets } = services;
  const offer = services.offer();
  const history = await findHistory(services, caller, request);
  const policy = { ...organization.policy, unansweredCalls };
  const draft = draftPlan({ request, history: history?.continued ?? null, policy }, offer.catalog);
  const view = history?.placement.view ?? null;
  const window = await readHistory(services, view, draft);
  const plan = planTurn(draft, window, {
    id: ids.mint("response"),
    createdAt: nowSeconds(clock),
    endUserHash: (endUser) => secrets.hashEndUser(caller.organizationId, endUser),
    reasoningOf: (model, prompt) => offer.providers.get(model.provider).reasoningOf(model, prompt),
    mint: (kind) => ids.mint(kind),
  });
  const unsupported = offer.providers.get(draft.model.provider).unsupportedOf?.(draft.model, plan.prompt) ?? null;
  if (unsupported !== null) throw invalidInput(unsupported.param, unsupported.message);
  const replan: Replan = async (begun, refusals) => {
    // Turns can be dropped only if they are read.
    const again = { ...draft, fits: false };
    return replanTurn(begun, again, await readHistory(services, view, again), refusals);
  };
  return { plan, offer, placement: history?.placement ?? { kind: "new" }, replan: view === null ? null : replan };
}
