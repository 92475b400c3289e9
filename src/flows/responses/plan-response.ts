// Plans the turn of a create on the history that it continues.
import { draftPlan, type Plan, planTurn } from "../../core/turn/plan.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Offer } from "../../ports/offer.ts";
import type { Placement } from "../../ports/store/turns.ts";
import type { Gateway } from "../gateway.ts";
import { findHistory, readHistory } from "./continue-history.ts";
import type { Create } from "./creating.ts";

/** A plan, the offer that it was made with, and where its items will be stored. */
export interface Planned {
  readonly plan: Plan;
  readonly offer: Offer;
  readonly placement: Placement;
}

/** Plans the turn. Throws 400, the uniform 404. */
export async function planResponse({ services }: Gateway, { admitted, request }: Create): Promise<Planned> {
  const { caller, organization, unansweredCalls } = admitted;
  const { ids, clock, secrets } = services;
  const offer = services.offer();
  const history = await findHistory(services, caller, request);
  const policy = { ...organization.policy, unansweredCalls };
  const draft = draftPlan({ request, history: history?.continued ?? null, policy }, offer.catalog);
  const window = await readHistory(services, history?.placement.view ?? null, draft);
  const plan = planTurn(draft, window, {
    id: ids.mint("response"),
    createdAt: nowSeconds(clock),
    endUserHash: (endUser) => secrets.hashEndUser(caller.organizationId, endUser),
    reasoningOf: (model, prompt) => offer.providers.get(model.provider).reasoningOf(model, prompt),
    mint: (kind) => ids.mint(kind),
  });
  return { plan, offer, placement: history?.placement ?? { kind: "new" } };
}
