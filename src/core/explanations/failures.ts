// Why a response fails after its start, by code: what happened, and what lets the next one through.
// @spec errors/failed-responses
import type { FailureCode } from "../../contract/failures.ts";
import { REJECTION_RULES, type RejectionRule } from "./rejections.ts";

export interface FailureRule extends Pick<RejectionRule, "rule" | "liftedBy"> {
  /** The response's message may have the provider's words, which may quote the request; otherwise it has our own alone. */
  readonly mayQuote?: true;
}

const RETRY = "The client sends it again.";
const OTHER_PROVIDER = "The client names a model of another provider.";
const BUDGETS = REJECTION_RULES.scope_budget_exceeded.liftedBy.slice(0, 2);

export const FAILURE_RULES: Readonly<Record<FailureCode, FailureRule>> = {
  budget_exceeded: {
    rule: "It reached the budget of each response. It keeps its output so far and is charged for it.",
    liftedBy: ["An owner or admin sets a higher limit for each response.", "The client asks for a shorter output."],
  },
  canceled: { rule: "It was cancelled before it finished.", liftedBy: [RETRY] },
  end_user_blocked: {
    rule: "The provider refuses the end user named by `safety_identifier` or `user`.",
    liftedBy: ["The provider lifts the block.", "The client looks at what this end user sent."],
  },
  insufficient_credits: {
    rule: "The credits ran out while it ran. It keeps its output so far and is charged for it.",
    liftedBy: ["An operator adds credits."],
  },
  org_daily_budget_exceeded: {
    rule: "It reached the budget of a day of the organization. It keeps its output so far and is charged for it.",
    liftedBy: BUDGETS,
  },
  provider_client_error: {
    rule: "The model's provider rejected the request. The response's own message has its reason.",
    liftedBy: ["The client changes the request.", "The client names another model."],
    mayQuote: true,
  },
  provider_error: { rule: "The model's provider failed.", liftedBy: [RETRY, OTHER_PROVIDER] },
  provider_overloaded: REJECTION_RULES.provider_overloaded,
  provider_rate_limited: REJECTION_RULES.provider_rate_limited,
  provider_unavailable: REJECTION_RULES.provider_unavailable,
  run_failed: {
    rule: "It did not complete: the service failed, or ended while it ran.",
    liftedBy: [RETRY, "An operator looks for the response in the service's log."],
  },
  scope_budget_exceeded: {
    rule: "It reached a budget that it counts in. It keeps its output so far and is charged for it.",
    liftedBy: BUDGETS,
  },
};
