// Errors of this wire: an answer that is no 2xx, and an error event in the midst of a stream. @spec errors/failed-responses
import type { ProviderFailure } from "../../ports/provider.ts";
import {
  type BrokenAnswer,
  type ErrorReport,
  failureOfError,
  failureOfRefusal,
  findWord,
  type RefusedAnswer,
} from "../failures.ts";
import { isRecord, type JsonRecord, parseJson, readText } from "../json-shape.ts";
import { type ProviderFailureCode, type Verdict, verdictOfStatus } from "../verdict.ts";

/** Words about our own account, whatever the status. */
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

/** What decides in the midst of a stream, where there is no status. */
const STREAM_WORDS: ReadonlyMap<string, ProviderFailureCode> = new Map([
  ["invalid_request_error", "provider_client_error"],
  ["request_too_large", "provider_client_error"],
  ["not_found_error", "provider_unavailable"],
  ["rate_limit_error", "provider_rate_limited"],
  ["overloaded_error", "provider_overloaded"],
  ["api_error", "provider_unavailable"],
  ["timeout_error", "provider_unavailable"],
]);

/**
 * An empty account is told as an invalid request, by its sentence alone. It is the one sentence that decides: it stands at the
 * very start, where a client's own words never do.
 */
const OUT_OF_CREDIT = /^Your credit balance is too low/;

/** The failure that an answer other than 2xx is. */
export function refusedFailure(answer: RefusedAnswer): ProviderFailure {
  const report = readErrorReport(parseJson(answer.body));
  return failureOfRefusal(answer, verdictOfRefusal(answer.head.status, report), report);
}

/** The failure that an error within a 2xx answer is. */
export function streamFailure(answer: BrokenAnswer): ProviderFailure {
  const report = readErrorReport(answer.error);
  const known = findWord(STREAM_WORDS, report) ?? "provider_error";
  return failureOfError(answer, isAboutAccount(report) ? "provider_unavailable" : known, report);
}

function verdictOfRefusal(status: number, report: ErrorReport): Verdict {
  const verdict = verdictOfStatus(status);
  if (status < 500) {
    return isAboutAccount(report) ? { code: "provider_unavailable", certainlyNotRun: false } : verdict;
  }
  return report.words.includes("overloaded_error") ? { ...verdict, code: "provider_overloaded" } : verdict;
}

function isAboutAccount({ words, message }: ErrorReport): boolean {
  return words.some((word) => ACCOUNT_WORDS.has(word)) || (message !== null && OUT_OF_CREDIT.test(message));
}

/** Reads `{type: "error", error: {type, message, details: {error_code}}, request_id}`, as far as it is there. */
function readErrorReport(value: unknown): ErrorReport {
  const outer: JsonRecord = isRecord(value) ? value : {};
  // Proxies in front of the provider leave the inner object out, or put a text in its place.
  const error: JsonRecord = isRecord(outer.error) ? outer.error : outer;
  const details: JsonRecord = isRecord(error.details) ? error.details : {};
  const words = [readText(error.type), readText(details.error_code)].filter((word) => word !== null);
  return {
    message: readText(error.message) ?? readText(outer.error),
    words,
    requestId: readText(outer.request_id)?.slice(0, 200) ?? null,
  };
}
