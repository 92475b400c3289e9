// The error code of an HTTP status, for every family, and the message a client reads.
// @spec errors/failed-responses
import type { FailureCode } from "../../contract/failures.ts";

/** The error codes of providers. */
export const UPSTREAM_ERROR_CODES = [
  "provider_client_error",
  "provider_error",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_unavailable",
  "end_user_blocked",
  "canceled",
] as const satisfies readonly FailureCode[];
export type UpstreamErrorCode = (typeof UPSTREAM_ERROR_CODES)[number];

export interface ErrorClass {
  readonly code: UpstreamErrorCode;
  /** Whether the provider certainly did not run the request (docs/wire.md, Provider retries). */
  readonly certainlyNotRun: boolean;
}

/** A fault of our account or configuration, not of the client's request: key, quota, model name. */
const OURS: ErrorClass = { code: "provider_unavailable", certainlyNotRun: false };
const NOT_RUN: ErrorClass = { code: "provider_unavailable", certainlyNotRun: true };

const BY_STATUS: ReadonlyMap<number, ErrorClass> = new Map([
  [401, OURS],
  [402, OURS],
  [403, OURS],
  [404, OURS],
  [407, OURS],
  // A timeout of reading the request or of running it: the provider does not say which.
  [408, { code: "provider_unavailable", certainlyNotRun: false }],
  [429, { code: "provider_rate_limited", certainlyNotRun: false }],
  [500, NOT_RUN],
  [502, NOT_RUN],
  [503, NOT_RUN],
  [504, NOT_RUN],
  // Anthropic's own status, adopted by proxies.
  [529, { code: "provider_overloaded", certainlyNotRun: false }],
]);

/** The error class of a status other than 2xx, before any output (docs/wire.md, Failure codes). */
export function classifyStatus(status: number): ErrorClass {
  const known = BY_STATUS.get(status);
  if (known !== undefined) return known;
  if (status >= 400 && status < 500) return { code: "provider_client_error", certainlyNotRun: false };
  // A redirect means a wrong base_url; any other 5xx may have run.
  return { code: "provider_unavailable", certainlyNotRun: false };
}

/** Messages for clients where the provider's own could reveal our account. */
export const ERROR_MESSAGES: Readonly<Record<UpstreamErrorCode, string>> = {
  provider_client_error: "The provider rejected the request.",
  provider_error: "The provider's response could not be used.",
  provider_overloaded: "The provider is overloaded.",
  provider_rate_limited: "The provider limits the rate of requests.",
  provider_unavailable: "The provider did not complete the request.",
  end_user_blocked: "The provider blocks the end user named by safety_identifier or user.",
  canceled: "The provider canceled the request.",
};
