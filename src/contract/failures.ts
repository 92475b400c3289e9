// The codes of a failed response: a closed set, separate from the HTTP error codes. @spec errors/failed-responses
export const FAILURE_CODES = [
  "budget_exceeded",
  "canceled",
  "end_user_blocked",
  "insufficient_credits",
  "org_daily_budget_exceeded",
  "provider_client_error",
  "provider_error",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_unavailable",
  "run_failed",
  "scope_budget_exceeded",
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

/** The failures that become HTTP errors within the wait of a non-streaming create (docs/wire.md, Provider failures). */
export const HTTP_FAILURE_CODES = ["provider_rate_limited", "provider_overloaded", "provider_unavailable"] as const;

/** Failures that are the provider's; the others are the request's or this service's. */
export const PROVIDER_FAILURE_CODES: ReadonlySet<FailureCode> = new Set([...HTTP_FAILURE_CODES, "provider_error"]);

export type HttpFailureCode = (typeof HTTP_FAILURE_CODES)[number];

export function isHttpFailure(code: FailureCode): code is HttpFailureCode {
  return (HTTP_FAILURE_CODES as readonly string[]).includes(code);
}
