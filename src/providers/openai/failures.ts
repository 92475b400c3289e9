// Errors of this wire: an answer that is no 2xx, an `error` event, and a response that failed. @spec errors/failed-responses
import type { CatalogModel } from "../../core/catalog.ts";
import { ProviderFailure } from "../../ports/provider.ts";
import type { AnswerHead } from "../exchange.ts";
import { isRecord, parseJson, readText } from "../json-shape.ts";
import { cleanReason } from "../reason.ts";
import { readRetryAfterSeconds } from "../retry-after.ts";
import { FAILURE_SENTENCES, type ProviderFailureCode, type Verdict, verdictOfStatus } from "../verdict.ts";

interface ErrorReport {
  readonly message: string | null;
  /** Its `code` and `type`, lower-case, in letters and digits joined by `_`. */
  readonly words: readonly string[];
}

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
export function refusedFailure(answer: {
  head: AnswerHead;
  body: string;
  apiKey: string | null;
  model: CatalogModel;
  nowMs: number;
}): ProviderFailure {
  const { head, body, apiKey, model, nowMs } = answer;
  const report = readErrorReport(parseJson(body));
  const verdict = verdictOfRefusal(head.status, report);
  return new ProviderFailure({
    ...verdict,
    message:
      head.status === 404
        ? `The provider does not know the model ${model.id}.`
        : sentence(verdict.code, report, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId,
    retryAfterSeconds: verdict.code === "provider_rate_limited" ? readRetryAfterSeconds(head.headers, nowMs) : null,
    cause: causeOf(head.status, report),
  });
}

/** The failure that an error within a 2xx answer is: the request ran. */
export function streamFailure(answer: { head: AnswerHead; error: unknown; apiKey: string | null }): ProviderFailure {
  const { head, error, apiKey } = answer;
  const report = readErrorReport(error);
  const policy = report.words.some((word) => POLICY_WORD.test(word)) ? "provider_client_error" : null;
  const code = findWord(STREAM_WORDS, report) ?? policy ?? "provider_error";
  return new ProviderFailure({
    code,
    message: sentence(code, report, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId,
    certainlyNotRun: false,
    cause: causeOf(head.status, report),
  });
}

/** A failure of an answer that makes no sense. */
export function answerFailure(
  head: AnswerHead,
  message: string,
  code: ProviderFailureCode = "provider_error",
): ProviderFailure {
  const { provider, status, requestId } = head;
  return new ProviderFailure({ code, message, provider, status, requestId, certainlyNotRun: false });
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

function findWord(words: ReadonlyMap<string, ProviderFailureCode>, report: ErrorReport): ProviderFailureCode | null {
  for (const word of report.words) {
    const code = words.get(word);
    if (code !== undefined) return code;
  }
  return null;
}

/** The provider's own words only where they are about the client's request; elsewhere they speak of our account. */
function sentence(code: ProviderFailureCode, report: ErrorReport, apiKey: string | null): string {
  if (code !== "provider_client_error" || report.message === null) return FAILURE_SENTENCES[code];
  const reason = cleanReason(report.message, apiKey);
  return reason === null ? FAILURE_SENTENCES[code] : `The provider rejected the request: ${reason}`;
}

/** For the operator's log: the bare words, never a message, which may quote a prompt. */
function causeOf(status: number, report: ErrorReport): Error {
  const words = report.words.filter((word) => word.length <= 80).join(", ");
  return new Error(`provider error: status ${status}${words === "" ? "" : `, ${words}`}`);
}

/** Reads `{error: {message, type, code}}` of an HTTP answer and of most `error` events, and the flat one of the others. */
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
