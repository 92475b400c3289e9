// Errors of this wire: an answer that is no 2xx, and an error object in the midst of a stream. @spec errors/failed-responses
import type { CatalogModel } from "../../core/catalog.ts";
import { ProviderFailure } from "../../ports/provider.ts";
import type { AnswerHead } from "../exchange.ts";
import { isRecord, type JsonRecord, parseJson, readText } from "../json-shape.ts";
import { cleanReason } from "../reason.ts";
import { readRetryAfterSeconds } from "../retry-after.ts";
import { FAILURE_SENTENCES, type ProviderFailureCode, type Verdict, verdictOfStatus } from "../verdict.ts";

/** What an error says: `{error: {code, message, status, details}}`, alone or first in an array. */
interface ErrorReport {
  readonly message: string | null;
  /** The canonical status, such as RESOURCE_EXHAUSTED. */
  readonly status: string | null;
  /** The HTTP status it repeats. */
  readonly code: number | null;
  /** `reason` of ErrorInfo, such as API_KEY_INVALID. */
  readonly reason: string | null;
  readonly retrySeconds: number | null;
}

/** Canonical statuses of an error within a stream, where there is no HTTP status. */
const STREAM_STATUSES: ReadonlyMap<string, ProviderFailureCode> = new Map([
  ["RESOURCE_EXHAUSTED", "provider_rate_limited"],
  ["UNAVAILABLE", "provider_overloaded"],
  ["INVALID_ARGUMENT", "provider_client_error"],
  ["OUT_OF_RANGE", "provider_client_error"],
  ["CANCELLED", "canceled"],
  ["INTERNAL", "provider_unavailable"],
  ["UNKNOWN", "provider_unavailable"],
  ["ABORTED", "provider_unavailable"],
  ["DEADLINE_EXCEEDED", "provider_unavailable"],
  ["UNAUTHENTICATED", "provider_unavailable"],
  ["PERMISSION_DENIED", "provider_unavailable"],
  ["NOT_FOUND", "provider_unavailable"],
  ["FAILED_PRECONDITION", "provider_unavailable"],
]);

/** A wrong key is a 400 here. */
const KEY_REASON = /^API_KEY_/;

/** The failure that an answer other than 2xx is. A further request of a round whose first one ran was not the round. */
export function refusedFailure(answer: {
  head: AnswerHead;
  body: string;
  apiKey: string | null;
  model: CatalogModel;
  nowMs: number;
  isFirst: boolean;
}): ProviderFailure {
  const { head, body, apiKey, model, nowMs, isFirst } = answer;
  const report = readErrorReport(parseJson(body));
  const { code, certainlyNotRun } = verdictOfRefusal(head.status, report);
  const isLimited = code === "provider_rate_limited";
  return new ProviderFailure({
    code,
    certainlyNotRun: certainlyNotRun && isFirst,
    message: head.status === 404 ? `The provider does not know the model ${model.id}.` : sentence(code, report, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId,
    retryAfterSeconds: isLimited ? (report?.retrySeconds ?? readRetryAfterSeconds(head.headers, nowMs)) : null,
    cause: causeOf(head.status, report),
  });
}

/** The failure that an error object within a 2xx answer is: the request ran. */
export function streamFailure(answer: { head: AnswerHead; error: unknown; apiKey: string | null }): ProviderFailure {
  const { head, error, apiKey } = answer;
  const report = readErrorReport(error);
  const code =
    (report?.status == null ? undefined : STREAM_STATUSES.get(report.status)) ??
    (report?.code == null ? "provider_error" : verdictOfStatus(report.code).code);
  return new ProviderFailure({
    code,
    certainlyNotRun: false,
    message: sentence(code, report, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId,
    retryAfterSeconds: code === "provider_rate_limited" ? (report?.retrySeconds ?? null) : null,
    cause: causeOf(report?.code ?? null, report),
  });
}

/** A failure of an answer that makes no sense. */
export function answerFailure(head: AnswerHead, message: string): ProviderFailure {
  const { provider, status, requestId } = head;
  return new ProviderFailure({ code: "provider_error", message, provider, status, requestId, certainlyNotRun: false });
}

function verdictOfRefusal(status: number, report: ErrorReport | null): Verdict {
  const verdict = verdictOfStatus(status);
  // Our key, or where and how our account may be used.
  const isOurs = KEY_REASON.test(report?.reason ?? "") || report?.status === "FAILED_PRECONDITION";
  if (status === 400 && isOurs) return { code: "provider_unavailable", certainlyNotRun: false };
  if (status === 499) return { code: "canceled", certainlyNotRun: false };
  // Said by the model's own servers, and not by something before them: the model is overloaded.
  if (status === 503 && report?.status === "UNAVAILABLE") return { code: "provider_overloaded", certainlyNotRun: true };
  return verdict;
}

/** The provider's own words only where they are about the client's request; elsewhere they speak of our account. */
function sentence(code: ProviderFailureCode, report: ErrorReport | null, apiKey: string | null): string {
  if (code !== "provider_client_error" || report === null || report.message === null) return FAILURE_SENTENCES[code];
  const reason = cleanReason(report.message, apiKey);
  return reason === null ? FAILURE_SENTENCES[code] : `The provider rejected the request: ${reason}`;
}

/** For the operator's log: the bare words, never a message, which may quote a prompt. */
function causeOf(status: number | null, report: ErrorReport | null): Error {
  const words = [report?.status, report?.reason].filter((word) => typeof word === "string" && /^\w{1,80}$/.test(word));
  return new Error(["provider error: status " + String(status ?? "none"), ...words].join(", "));
}

function readErrorReport(value: unknown): ErrorReport | null {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(outer)) return null;
  const { error } = outer;
  if (typeof error === "string") return { message: error, status: null, code: null, reason: null, retrySeconds: null };
  if (!isRecord(error)) return null;
  const details: readonly unknown[] = Array.isArray(error.details) ? error.details : [];
  const records = details.filter(isRecord);
  return {
    message: readText(error.message),
    status: readText(error.status),
    code: typeof error.code === "number" ? error.code : null,
    reason: readText(find(records, "ErrorInfo")?.reason),
    retrySeconds: readDuration(find(records, "RetryInfo")?.retryDelay),
  };
}

function find(details: readonly JsonRecord[], type: string): JsonRecord | undefined {
  return details.find((detail) => typeof detail["@type"] === "string" && detail["@type"].endsWith(`.${type}`));
}

/** Whole seconds of a duration such as `34.4s`, rounded up; null when it is none. */
function readDuration(value: unknown): number | null {
  const match = typeof value === "string" ? /^(\d{1,9}(?:\.\d+)?)s$/.exec(value) : null;
  return match === null ? null : Math.ceil(Number(match[1]));
}
