// The filters of errors that are in the URL, and the request that is explained.
import type { ErrorCode } from "../../api/client.ts";
import { defined } from "../../parts/defined.ts";
import { readText } from "../search.ts";
import { readTimes, type TimesSearch } from "../time-range.ts";

const EVERY_CODE: Readonly<Record<ErrorCode, true>> = {
  access_denied: true,
  auth_unavailable: true,
  budget_exceeded: true,
  canceled: true,
  context_length_exceeded: true,
  database_error: true,
  database_unavailable: true,
  end_user_blocked: true,
  gateway_overloaded: true,
  idempotency_conflict: true,
  idempotency_in_progress: true,
  insufficient_credits: true,
  insufficient_quota: true,
  internal_server_error: true,
  invalid_api_key: true,
  invalid_input: true,
  item_unreadable: true,
  model_policy_violation: true,
  org_daily_budget_exceeded: true,
  payment_method_required: true,
  provider_client_error: true,
  provider_error: true,
  provider_overloaded: true,
  provider_rate_limited: true,
  provider_unavailable: true,
  rate_limit_exceeded: true,
  request_timeout: true,
  resource_not_found: true,
  run_failed: true,
  scope_budget_exceeded: true,
  stream_limit_exceeded: true,
};

/** Every code, in alphabetical order; a missing one fails to compile. */
export const CODES = Object.keys(EVERY_CODE) as ErrorCode[];

export interface ErrorsSearch extends TimesSearch {
  readonly request?: string;
  readonly code?: ErrorCode;
  readonly model?: string;
  readonly key?: string;
}

export function readErrorsSearch(search: Record<string, unknown>): ErrorsSearch {
  const code = CODES.find((known) => known === search["code"]);
  return defined({
    ...readTimes(search),
    request: readText(search["request"]),
    code,
    model: readText(search["model"]),
    key: readText(search["key"]),
  });
}
