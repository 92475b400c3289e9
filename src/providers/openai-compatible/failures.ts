// Errors of this wire: an answer that is no 2xx, and an error object in the midst of a stream. @spec errors/failed-responses
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

/** What an error says, wherever the server put it; its words are lower-case. */
export interface ChatErrorReport extends ErrorReport {
  /** Its code as a number, from servers that repeat the HTTP status there. */
  readonly status: number | null;
}

/** Words that say the same at every status: our own account, or the end user. Codes only: a message never decides. */
const SPECIFIC_WORDS: ReadonlyMap<string, ProviderFailureCode> = new Map([
  ["insufficient_quota", "provider_unavailable"],
  ["billing_hard_limit_reached", "provider_unavailable"],
  ["billing_not_active", "provider_unavailable"],
  ["account_deactivated", "provider_unavailable"],
  ["invalid_api_key", "provider_unavailable"],
  ["authentication_error", "provider_unavailable"],
  ["permission_error", "provider_unavailable"],
  ["model_not_found", "provider_unavailable"],
  ["identifier_blocked", "end_user_blocked"],
  ["user_blocked", "end_user_blocked"],
  ["safety_identifier_blocked", "end_user_blocked"],
]);

/** Words that decide where there is no status: in the midst of a stream. */
const STREAM_WORDS: ReadonlyMap<string, ProviderFailureCode> = new Map([
  ...SPECIFIC_WORDS,
  ["rate_limit_exceeded", "provider_rate_limited"],
  ["rate_limit_error", "provider_rate_limited"],
  ["ratelimiterror", "provider_rate_limited"],
  ["too_many_requests", "provider_rate_limited"],
  ["overloaded", "provider_overloaded"],
  ["overloaded_error", "provider_overloaded"],
  ["engine_overloaded", "provider_overloaded"],
  ["engine_overloaded_error", "provider_overloaded"],
  ["slow_down", "provider_overloaded"],
  ["invalid_request_error", "provider_client_error"],
  ["badrequesterror", "provider_client_error"],
  ["bad_request", "provider_client_error"],
  ["context_length_exceeded", "provider_client_error"],
  ["exceed_context_size_error", "provider_client_error"],
  ["content_filter", "provider_client_error"],
  ["server_error", "provider_unavailable"],
  ["internal_error", "provider_unavailable"],
  ["internal_server_error", "provider_unavailable"],
  ["internalservererror", "provider_unavailable"],
  ["service_unavailable", "provider_unavailable"],
  ["timeout_error", "provider_unavailable"],
  ["canceled", "canceled"],
  ["cancelled", "canceled"],
]);

/** How servers say in a 503 that they are full and not down. */
const OVERLOADED = /overload|slow[ _]down|too busy|at capacity|queue is full/i;

/** The failure that an answer other than 2xx is. */
export function refusedFailure(answer: RefusedAnswer): ProviderFailure {
  const report = readErrorReport(parseJson(answer.body)) ?? reportOfText(answer.body);
  return failureOfRefusal(answer, verdictOfRefusal(answer.head.status, report), report);
}

/** The failure that an error object within a 2xx answer is. */
export function streamFailure(answer: BrokenAnswer): ProviderFailure {
  const report = readErrorReport(answer.error) ?? { message: null, words: [], status: null };
  const code =
    findWord(STREAM_WORDS, report) ?? (report.status === null ? "provider_error" : verdictOfStatus(report.status).code);
  return failureOfError(answer, code, report, report.status);
}

function verdictOfRefusal(status: number, report: ErrorReport): Verdict {
  const verdict = verdictOfStatus(status);
  if (status < 500) {
    const code = findWord(SPECIFIC_WORDS, report);
    return code === null ? verdict : { code, certainlyNotRun: false };
  }
  const isFull =
    status === 503 && (OVERLOADED.test(report.message ?? "") || report.words.some((word) => OVERLOADED.test(word)));
  return isFull ? { code: "provider_overloaded", certainlyNotRun: true } : verdict;
}

/**
 * Reads `{error: {message, code, type}}`, `{error: "…"}`, `{message, …}`, `{detail: "…"}`, `{detail: [{msg}]}`, and an array
 * that holds one of them; null when the value is no error in any of these shapes.
 */
export function readErrorReport(value: unknown): ChatErrorReport | null {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof outer === "string") return reportOfText(outer);
  if (!isRecord(outer)) return null;
  const error = outer.error;
  if (typeof error === "string") return { ...reportOfRecord(outer), message: error };
  if (isRecord(error)) return reportOfRecord(error);
  return reportOfRecord(outer);
}

function reportOfRecord(record: JsonRecord): ChatErrorReport {
  const code = record.code;
  const words = [code, record.type, record.status].filter((word) => typeof word === "string" && word !== "");
  return {
    message: readText(record.message) ?? readText(record.msg) ?? readDetail(record.detail),
    words: words.map((word) => String(word).toLowerCase()),
    status: readStatus(code) ?? readStatus(record.status),
  };
}

function readDetail(detail: unknown): string | null {
  if (!Array.isArray(detail)) return readText(detail);
  const first: unknown = detail[0];
  return isRecord(first) ? readText(first.msg) : readText(first);
}

function readStatus(code: unknown): number | null {
  const status = typeof code === "string" && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600 ? status : null;
}

/** A body that is no JSON: its text is the reason, unless it is a page. */
function reportOfText(body: string): ChatErrorReport {
  const isPage = /^\s*</.test(body);
  return { message: isPage || body.trim() === "" ? null : body, words: [], status: null };
}
