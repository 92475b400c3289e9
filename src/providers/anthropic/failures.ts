// Errors of this wire: responses other than 2xx, and error events within a stream. @spec errors/failed-responses
import type { UpstreamError } from "../../ports/provider.ts";
import {
  type ErrorReport,
  classifyInStream,
  createStreamError,
  createResponseError,
  findKnownStreamWord,
  type ErrorResponse,
  classifyResponse,
} from "../wire/errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { readErrorStatus, readRequestId, readText } from "../wire/json-shape.ts";
import type { UpstreamFault } from "../wire/error-codes.ts";
import type { HttpHead } from "../wire/exchange.ts";
import { googleErrorInStream, readGoogleReport } from "../wire/google-errors.ts";

/** Error words about the operator's account, whatever the status. */
const ACCOUNT_WORDS: ReadonlySet<string> = new Set([
  "authentication_error",
  "permission_error",
  "billing_error",
  "contract_spend_limit_reached",
  "enforced_spend_limit_reached",
  "organization_on_hold",
  "cmek_key_disabled",
  "cmek_key_network_blocked",
]);

/** What error words within a stream mean, where there is no status. */
const STREAM_WORDS: ReadonlyMap<string, UpstreamFault> = new Map([
  ["invalid_request_error", "provider_client_error"],
  ["request_too_large", "provider_client_error"],
  ["not_found_error", "account_fault"],
  ["rate_limit_error", "provider_rate_limited"],
  ["api_error", "provider_unavailable"],
  ["timeout_error", "provider_unavailable"],
]);

/**
 * Accounts without credit, at their own limit or disabled are reported as invalid requests, told apart only by these
 * sentences. They are matched at the very start of the message, where a client's words never appear.
 */
const ABOUT_ACCOUNT =
  /^(?:Your credit balance is too low|You have reached your specified API usage limits|This organization has been disabled)/;

/** The error of a response other than 2xx. */
export function errorOfResponse(response: ErrorResponse): UpstreamError {
  const report = readErrorReport(parseJson(response.body), response.head);
  const isOurs = response.head.status < 500 && isAboutAccount(report);
  return createResponseError(response, isOurs ? "account_fault" : classifyResponse(response, report), report);
}

/** The error of an error within a 2xx response. */
export function errorInStream(head: HttpHead, error: unknown): UpstreamError {
  // From the servers in front of Claude on Vertex AI.
  const ofGoogle = readGoogleReport(error);
  if (ofGoogle.canonical !== null && ofGoogle.status !== null) return googleErrorInStream(head, ofGoogle);
  const report = readErrorReport(error, head);
  const known = isAboutAccount(report) ? "account_fault" : findKnownStreamWord(STREAM_WORDS, report);
  return createStreamError(head, classifyInStream(known, report), report);
}

function isAboutAccount({ words, message }: ErrorReport): boolean {
  return words.some((word) => ACCOUNT_WORDS.has(word)) || (message !== null && ABOUT_ACCOUNT.test(message));
}

/** Reads `{type: "error", error: {type, message, details: {error_code}}, request_id}`; every field may be missing. */
function readErrorReport(value: unknown, { secrets }: HttpHead): ErrorReport {
  const outer: JsonObject = isJsonObject(value) ? value : {};
  // Proxies leave the inner object out, or put a string in its place.
  const error: JsonObject = isJsonObject(outer.error) ? outer.error : outer;
  const details: JsonObject = isJsonObject(error.details) ? error.details : {};
  const words = [readText(error.type), readText(details.error_code)].filter((word) => word !== null);
  return {
    message: readText(error.message) ?? readText(outer.error),
    words,
    status: readErrorStatus(error.code) ?? readErrorStatus(error.status),
    requestId: readRequestId(outer.request_id, secrets),
  };
}
