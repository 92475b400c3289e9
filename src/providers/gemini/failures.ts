// Errors of this wire: an answer that is no 2xx, and an error object in the midst of a stream. @spec errors/failed-responses
import type { ProviderFailure } from "../../ports/provider.ts";
import {
  type BrokenAnswer,
  type ErrorReport,
  failureOfError,
  failureOfRefusal,
  type RefusedAnswer,
} from "../failures.ts";
import { isRecord, type JsonRecord, parseJson, readText } from "../json-shape.ts";
import { type ProviderFailureCode, type Verdict, verdictOfStatus } from "../verdict.ts";

/** What an error says: `{error: {code, message, status, details}}`, alone or first in an array. */
interface GeminiReport extends ErrorReport {
  /** The canonical status, such as RESOURCE_EXHAUSTED. */
  readonly status: string | null;
  /** The HTTP status it repeats. */
  readonly code: number | null;
  /** `reason` of ErrorInfo, such as API_KEY_INVALID. */
  readonly reason: string | null;
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
export function refusedFailure(answer: RefusedAnswer & { readonly isFirst: boolean }): ProviderFailure {
  const report = readErrorReport(parseJson(answer.body));
  const { code, certainlyNotRun } = verdictOfRefusal(answer.head.status, report);
  return failureOfRefusal(answer, { code, certainlyNotRun: certainlyNotRun && answer.isFirst }, report);
}

/** The failure that an error object within a 2xx answer is. */
export function streamFailure(answer: BrokenAnswer): ProviderFailure {
  const report = readErrorReport(answer.error);
  const code =
    STREAM_STATUSES.get(report.status ?? "") ??
    (report.code === null ? "provider_error" : verdictOfStatus(report.code).code);
  return failureOfError(answer, code, report, report.code);
}

function verdictOfRefusal(status: number, report: GeminiReport): Verdict {
  const verdict = verdictOfStatus(status);
  // Our key, or where and how our account may be used.
  const isOurs = KEY_REASON.test(report.reason ?? "") || report.status === "FAILED_PRECONDITION";
  if (status === 400 && isOurs) return { code: "provider_unavailable", certainlyNotRun: false };
  if (status === 499) return { code: "canceled", certainlyNotRun: false };
  // Said by the model's own servers, and not by something before them: the model is overloaded.
  if (status === 503 && report.status === "UNAVAILABLE") return { code: "provider_overloaded", certainlyNotRun: true };
  return verdict;
}

const NOTHING_SAID: GeminiReport = { message: null, words: [], status: null, code: null, reason: null };

function readErrorReport(value: unknown): GeminiReport {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  const error: unknown = isRecord(outer) ? outer.error : undefined;
  if (typeof error === "string") return { ...NOTHING_SAID, message: error };
  if (!isRecord(error)) return NOTHING_SAID;
  const details: readonly unknown[] = Array.isArray(error.details) ? error.details : [];
  const records = details.filter(isRecord);
  const status = readText(error.status);
  const reason = readText(find(records, "ErrorInfo")?.reason);
  return {
    message: readText(error.message),
    words: [status, reason].filter((word) => word !== null),
    status,
    code: typeof error.code === "number" ? error.code : null,
    reason,
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
