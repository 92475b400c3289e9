// Errors of this wire: an answer that is no 2xx, and an error event in the midst of a stream. @spec errors/failed-responses
import type { CatalogModel } from "../../core/catalog.ts";
import { ProviderFailure } from "../../ports/provider.ts";
import type { AnswerHead } from "../exchange.ts";
import { isRecord, type JsonRecord, parseJson, readText } from "../json-shape.ts";
import { cleanReason } from "../reason.ts";
import { readRetryAfterSeconds } from "../retry-after.ts";
import { FAILURE_SENTENCES, type ProviderFailureCode, type Verdict, verdictOfStatus } from "../verdict.ts";

/** `{type: "error", error: {type, message, details: {error_code}}, request_id}`, as far as it is there. */
interface ErrorReport {
  readonly message: string | null;
  /** Its type and its code. */
  readonly words: readonly string[];
  readonly requestId: string | null;
}

/** Words about our own account, whatever the status. */
const ACCOUNT_WORDS: ReadonlySet<string> = new Set([
  "authentication_error",
  "permission_error",
  "billing_error",
  "contract_spend_limit_reached",
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
export function refusedFailure(answer: {
  head: AnswerHead;
  body: string;
  apiKey: string | null;
  model: CatalogModel;
  nowMs: number;
}): ProviderFailure {
  const { head, apiKey, model, nowMs } = answer;
  const report = readErrorReport(parseJson(answer.body));
  const verdict = verdictOfRefusal(head.status, report);
  const isUnknownModel = head.status === 404;
  return new ProviderFailure({
    ...verdict,
    message: isUnknownModel
      ? `The provider does not know the model ${model.id}.`
      : sentence(verdict.code, report, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId,
    retryAfterSeconds: verdict.code === "provider_rate_limited" ? readRetryAfterSeconds(head.headers, nowMs) : null,
    cause: causeOf(head.status, report),
  });
}

/** The failure that an error within a 2xx answer is: the request ran. */
export function streamFailure(answer: { head: AnswerHead; error: unknown; apiKey: string | null }): ProviderFailure {
  const { head, apiKey } = answer;
  const report = readErrorReport(answer.error);
  const known = report.words.map((word) => STREAM_WORDS.get(word)).find((code) => code !== undefined);
  const code = isAboutAccount(report) ? "provider_unavailable" : (known ?? "provider_error");
  return new ProviderFailure({
    code,
    message: sentence(code, report, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId,
    certainlyNotRun: false,
    cause: causeOf(head.status, report),
  });
}

/** A failure of an answer that makes no sense. */
export function answerFailure(head: AnswerHead, message: string): ProviderFailure {
  return new ProviderFailure({
    code: "provider_error",
    message,
    provider: head.provider,
    status: head.status,
    requestId: head.requestId,
    certainlyNotRun: false,
  });
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

/** The provider's own words only where they are about the client's request; elsewhere they speak of our account. */
function sentence(code: ProviderFailureCode, report: ErrorReport, apiKey: string | null): string {
  if (code !== "provider_client_error" || report.message === null) return FAILURE_SENTENCES[code];
  const reason = cleanReason(report.message, apiKey);
  return reason === null ? FAILURE_SENTENCES[code] : `The provider rejected the request: ${reason}`;
}

/** For the operator's log: the bare words, never a message, which may quote a prompt. */
function causeOf(status: number, report: ErrorReport): Error {
  const words = report.words.filter((word) => /^[\w.-]{1,80}$/.test(word)).join(", ");
  return new Error(`provider error: status ${status}${words === "" ? "" : `, ${words}`}`);
}

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
