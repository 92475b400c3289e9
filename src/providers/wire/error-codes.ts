// The error code of an HTTP status, for every family, and the message a client reads.
// @spec errors/failed-responses
import type { FailureCode } from "../../contract/failures.ts";
import { NotDecodableError } from "./content-coding.ts";
import { TooLongError } from "./response-body.ts";
import { NotUtf8Error } from "./utf8.ts";

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

/**
 * What an error of a provider means: its code, or a fault of our account or configuration (key, quota, model name). A
 * client gets the latter as `provider_unavailable`; it stays until the operator mends it.
 */
export type UpstreamFault = UpstreamErrorCode | "account_fault";

/** Statuses of a fault of our account or configuration, not of the client's request. */
const OUR_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 407]);

/** What a status other than 2xx means, before any output (docs/wire.md, Failure codes). */
export function classifyStatus(status: number): UpstreamFault {
  if (status === 429) return "provider_rate_limited";
  // Anthropic's own status, adopted by proxies.
  if (status === 529) return "provider_overloaded";
  // A timeout of reading the request or of running it: the provider does not say which.
  if (status === 408) return "provider_unavailable";
  // A redirect means a wrong base_url.
  if (status < 400 || OUR_STATUSES.has(status)) return "account_fault";
  return status < 500 ? "provider_client_error" : "provider_unavailable";
}

/**
 * The only status that says that the request certainly did not run (docs/wire.md, Provider retries). After a 500 it may have run in part,
 * and a gateway sends 502 and 504 for a server that has the request.
 */
export const NOT_RUN_STATUS = 503;

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

/** Whether the provider sent something that cannot be read. */
export function isUnreadable(error: unknown): error is Error {
  return error instanceof TooLongError || error instanceof NotUtf8Error || error instanceof NotDecodableError;
}

/** What undici's error of a connection means; `wasSent`: the request may have arrived. */
export function classifyLoss(
  { name, code }: Error & { code?: unknown },
  wasSent: boolean,
): { code: UpstreamErrorCode; message: string } {
  // Not valid HTTP.
  if (name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW") {
    return { code: "provider_error", message: ERROR_MESSAGES.provider_error };
  }
  const wasSilent = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT";
  const lost = wasSilent ? "The provider was silent for too long." : "The connection to the provider was lost.";
  return { code: "provider_unavailable", message: wasSent ? lost : "The provider could not be reached." };
}
