// The words of errors in OpenAI's style, which most other servers of chat completions use too. @spec errors/failed-responses
import type { UpstreamFault } from "./error-codes.ts";
import { classifyResponse, type ErrorReport, type ErrorResponse, findKnownWord } from "./errors.ts";

type KnownWords = ReadonlyMap<string, UpstreamFault>;

/** Codes with the same meaning at every status: our own account, or the end user. A message never decides. */
export const SPECIFIC_WORDS: KnownWords = new Map([
  ["insufficient_quota", "account_fault"],
  ["billing_hard_limit_reached", "account_fault"],
  ["billing_not_active", "account_fault"],
  ["account_deactivated", "account_fault"],
  ["invalid_api_key", "account_fault"],
  ["authentication_error", "account_fault"],
  ["permission_error", "account_fault"],
  ["model_not_found", "account_fault"],
  // The safety guide says "identifier blocked" and shows no error object.
  ["identifier_blocked", "end_user_blocked"],
  ["safety_identifier_blocked", "end_user_blocked"],
  ["user_blocked", "end_user_blocked"],
]);

/** Codes that decide for errors in a stream, which have no status. */
export const STREAM_WORDS: KnownWords = new Map([
  ...SPECIFIC_WORDS,
  ["rate_limit_exceeded", "provider_rate_limited"],
  ["rate_limit_error", "provider_rate_limited"],
  ["too_many_requests", "provider_rate_limited"],
  ["invalid_request_error", "provider_client_error"],
  ["context_length_exceeded", "provider_client_error"],
  ["server_error", "provider_unavailable"],
  ["internal_error", "provider_unavailable"],
  ["internal_server_error", "provider_unavailable"],
  ["timeout_error", "provider_unavailable"],
  ["canceled", "canceled"],
  ["cancelled", "canceled"],
]);

/** The meaning of an error response: by its specific words below status 500, else as on every wire. */
export function classifyByWords(response: ErrorResponse, report: ErrorReport, specific: KnownWords): UpstreamFault {
  const known = response.head.status < 500 ? findKnownWord(specific, report) : null;
  return known ?? classifyResponse(response, report);
}
