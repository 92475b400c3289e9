// Why a request is rejected, by code: the rule, what would let it through, and whether its message may be kept.
// @spec errors/http-error-codes
import type { ErrorCode } from "../../contract/errors.ts";

export interface RejectionRule {
  readonly rule: string;
  readonly liftedBy: readonly string[];
  /** The message has only our own words and figures; absent: it may quote the request. */
  readonly hasPlainMessage?: true;
}

const SEARCH_LOG = "An operator looks for the request id in the service's log.";
const RETRY = "The client retries after the time in Retry-After, or waits longer before each retry.";

export const REJECTION_RULES: Readonly<Record<ErrorCode, RejectionRule>> = {
  invalid_api_key: {
    rule: "The Authorization header has no valid API key.",
    liftedBy: ["The client sends a key that exists and is not revoked."],
    hasPlainMessage: true,
  },
  access_denied: {
    rule: "The organization is suspended, or the key lacks the permission of this operation.",
    liftedBy: [
      "An operator resumes the organization.",
      "The client uses a key with the permission `all` (or `read`, for reading).",
    ],
    hasPlainMessage: true,
  },
  payment_method_required: {
    rule: "Responses need a payment method on file.",
    liftedBy: ["An owner sets a payment method."],
    hasPlainMessage: true,
  },
  insufficient_quota: {
    rule: "Responses need an active plan and a balance above zero.",
    liftedBy: ["An owner starts the plan.", "An operator adds credits."],
    hasPlainMessage: true,
  },
  insufficient_credits: {
    rule: "The balance must cover a response's input and its first 1,000 tokens of output before it starts.",
    liftedBy: [
      "An operator adds credits.",
      "Running responses end and give back what they reserved.",
      "The client sends a shorter input or a lower `max_output_tokens`.",
    ],
    hasPlainMessage: true,
  },
  scope_budget_exceeded: {
    rule: "A response starts only if every budget that it counts in has something left, which running responses have not reserved.",
    liftedBy: [
      "An owner or admin raises the budget for a while, sets a higher limit, or removes it.",
      "The budget's period ends.",
      "Running responses end and give back what they reserved.",
    ],
    hasPlainMessage: true,
  },
  rate_limit_exceeded: {
    rule: "An organization may send a limited number of requests a minute: for creating, for retrieving, and for deleting and cancelling. It may have a limited number of responses running and queued at once, and each of its keys a share of them. An organization and a key may also have limits of their own, of tokens a minute too.",
    liftedBy: [
      RETRY,
      "Running responses end.",
      "An operator raises the organization's limit.",
      "An owner or admin raises the key's limit.",
    ],
    hasPlainMessage: true,
  },
  stream_limit_exceeded: {
    rule: "An organization may hold a limited number of streams open.",
    liftedBy: ["Open streams end.", "An operator raises the organization's limit."],
    hasPlainMessage: true,
  },
  model_policy_violation: {
    rule: "The organization's policy, or the key's list of models, does not allow the model.",
    liftedBy: ["An owner or admin changes the policy or the key's list.", "The client names another model."],
    hasPlainMessage: true,
  },
  context_length_exceeded: {
    rule: "The input with its history must fit the model's context window.",
    liftedBy: [
      "The client sends `truncation: auto`, a shorter input, or a lower `max_output_tokens`.",
      "The client names a model with a larger window.",
    ],
  },
  invalid_input: {
    rule: "The request is not valid; `param` names the field, if it is one.",
    liftedBy: ["The client changes the request."],
  },
  resource_not_found: {
    rule: "Responses and conversations are visible to the key that created them, until they are deleted.",
    liftedBy: ["The client uses the key that created it, and its exact id."],
    hasPlainMessage: true,
  },
  idempotency_conflict: {
    rule: "An Idempotency-Key belongs to one request: the same body again gets the same result.",
    liftedBy: ["The client uses another Idempotency-Key for another request."],
  },
  idempotency_in_progress: { rule: "The first request with this Idempotency-Key still runs.", liftedBy: [RETRY] },
  auth_unavailable: { rule: "The key could not be checked.", liftedBy: [RETRY], hasPlainMessage: true },
  gateway_overloaded: {
    rule: "The service had no room for the request, or was stopping.",
    liftedBy: [RETRY, "An operator gives the service more room."],
    hasPlainMessage: true,
  },
  database_unavailable: { rule: "The database could not be reached.", liftedBy: [RETRY], hasPlainMessage: true },
  provider_rate_limited: {
    rule: "The model's provider limits the service's requests.",
    liftedBy: [RETRY, "An operator gets a higher limit from the provider."],
  },
  provider_overloaded: {
    rule: "The model's provider is overloaded.",
    liftedBy: [RETRY, "The client names a model of another provider."],
  },
  provider_unavailable: {
    rule: "The model's provider did not complete the response.",
    liftedBy: [RETRY, "The client names a model of another provider."],
  },
  request_timeout: { rule: "No result could be read in time.", liftedBy: [RETRY], hasPlainMessage: true },
  internal_server_error: { rule: "The service failed.", liftedBy: [SEARCH_LOG] },
  database_error: { rule: "The database failed.", liftedBy: [SEARCH_LOG] },
  item_unreadable: { rule: "A stored item cannot be read.", liftedBy: ["The client continues without the item."] },
};

/** A plain name, perhaps with a path inside it. */
const PLAIN_NAME = /^((?:svc:)?[a-z][a-z_]{0,39})(?:[.[]|$)/;

/** The top-level field of an error; null unless it is a plain name: others may contain a client's own words. */
export function plainParam(param: string | null): string | null {
  return PLAIN_NAME.exec(param ?? "")?.[1] ?? null;
}
