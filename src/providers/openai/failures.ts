// Errors of this wire: an answer that is no 2xx, an `error` event, and a response that failed. @spec errors/failed-responses
import type { ProviderFailure } from "../../ports/provider.ts";
import {
  type BrokenAnswer,
  type ErrorReport,
  failureOfError,
  failureOfRefusal,
  findWord,
  type RefusedAnswer,
} from "../failures.ts";
import { isRecord, parseJson, readText } from "../json-shape.ts";
import { type ProviderFailureCode, type Verdict, verdictOfStatus } from "../verdict.ts";

/** Words that say the same at every status: our own account, or the end user. Words only: a message never decides. */
const SPECIFIC_WORDS: ReadonlyMap<string, ProviderFailureCode> = new Map([
  ["insufficient_quota", "provider_unavailable"],
  ["billing_hard_limit_reached", "provider_unavailable"],
  ["billing_not_active", "provider_unavailable"],
  ["account_deactivated", "provider_unavailable"],
  ["invalid_api_key", "provider_unavailable"],
  ["authentication_error", "provider_unavailable"],
  ["permission_error", "provider_unavailable"],
  ["model_not_found", "provider_unavailable"],
  ["data_residency_mismatch", "provider_unavailable"],
  // The safety guide says "identifier blocked" and shows no error object.
  ["identifier_blocked", "end_user_blocked"],
  ["safety_identifier_blocked", "end_user_blocked"],
  ["user_blocked", "end_user_blocked"],
]);

const OVERLOADED_WORDS: readonly string[] = [
  "server_is_overloaded",
  "overloaded",
  "overloaded_error",
  "engine_overloaded",
  "slow_down",
];

/** Words that decide where there is no status: in the midst of a stream. */
const STREAM_WORDS: ReadonlyMap<string, ProviderFailureCode> = new Map([
  ...SPECIFIC_WORDS,
  ...OVERLOADED_WORDS.map((word) => [word, "provider_overloaded"] as const),
  ["rate_limit_exceeded", "provider_rate_limited"],
  ["rate_limit_error", "provider_rate_limited"],
  ["too_many_requests", "provider_rate_limited"],
  ["invalid_prompt", "provider_client_error"],
  ["invalid_request_error", "provider_client_error"],
  ["context_length_exceeded", "provider_client_error"],
  ["server_error", "provider_unavailable"],
  ["internal_server_error", "provider_unavailable"],
  ["internal_error", "provider_unavailable"],
  ["service_unavailable_error", "provider_unavailable"],
  ["timeout_error", "provider_unavailable"],
  ["canceled", "canceled"],
  ["cancelled", "canceled"],
]);

/** `bio_policy`, `misalignment_policy_violation`, …: what the request asks for is against a policy. */
const POLICY_WORD = /_policy(_violation)?$/;

/** The failure that an answer other than 2xx is. */
export function refusedFailure(answer: RefusedAnswer): ProviderFailure {
  const report = readErrorReport(parseJson(answer.body));
  return failureOfRefusal(answer, verdictOfRefusal(answer.head.status, report), report);
}

/** The failure that an error within a 2xx answer is. */
export function streamFailure(answer: BrokenAnswer): ProviderFailure {
  const report = readErrorReport(answer.error);
  const policy = report.words.some((word) => POLICY_WORD.test(word)) ? "provider_client_error" : null;
  return failureOfError(answer, findWord(STREAM_WORDS, report) ?? policy ?? "provider_error", report);
}

function verdictOfRefusal(status: number, report: ErrorReport): Verdict {
  const verdict = verdictOfStatus(status);
  if (status < 500) {
    const code = findWord(SPECIFIC_WORDS, report);
    return code === null ? verdict : { code, certainlyNotRun: false };
  }
  const isFull = status === 503 && report.words.some((word) => OVERLOADED_WORDS.includes(word));
  return isFull ? { code: "provider_overloaded", certainlyNotRun: true } : verdict;
}

/**
 * Reads `{error: {message, type, code}}` of an HTTP answer and of most `error` events, and the flat one of the others. Words are
 * lower-case, in letters and digits joined by `_`.
 */
function readErrorReport(value: unknown): ErrorReport {
  if (!isRecord(value)) return { message: null, words: [] };
  const error = isRecord(value.error) ? value.error : value;
  // Of a flat event, `type` is the event's.
  const words = error === value ? [error.code] : [error.code, error.type];
  return { message: readText(error.message), words: words.flatMap((word) => readText(word) ?? []).map(toWord) };
}

function toWord(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "_");
}
