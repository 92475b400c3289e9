// Errors of this wire: responses other than 2xx, and error objects within a stream. @spec errors/failed-responses
import type { UpstreamError } from "../../ports/provider.ts";
import {
  type ErrorReport,
  createStreamError,
  createResponseError,
  findKnownStreamWord,
  type ErrorResponse,
  classify,
  classifyResponse,
} from "../wire/errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import type { UpstreamFault } from "../wire/error-codes.ts";
import type { HttpHead } from "../wire/exchange.ts";

/** The content of `{error: {code, message, status, details}}`, alone or first in an array. */
interface GeminiReport extends ErrorReport {
  /** The canonical status, such as RESOURCE_EXHAUSTED. */
  readonly status: string | null;
  /** The HTTP status in the body. */
  readonly code: number | null;
  /** `reason` of ErrorInfo, such as API_KEY_INVALID. */
  readonly reason: string | null;
}

/** Error codes by canonical status, for errors within a stream. */
const STREAM_STATUSES: ReadonlyMap<string, UpstreamFault> = new Map([
  ["RESOURCE_EXHAUSTED", "provider_rate_limited"],
  ["UNAVAILABLE", "provider_overloaded"],
  ["INVALID_ARGUMENT", "provider_client_error"],
  ["OUT_OF_RANGE", "provider_client_error"],
  ["CANCELLED", "canceled"],
  ["INTERNAL", "provider_unavailable"],
  ["UNKNOWN", "provider_unavailable"],
  ["ABORTED", "provider_unavailable"],
  ["DEADLINE_EXCEEDED", "provider_unavailable"],
  ["UNAUTHENTICATED", "account_fault"],
  ["PERMISSION_DENIED", "account_fault"],
  ["NOT_FOUND", "account_fault"],
  ["FAILED_PRECONDITION", "account_fault"],
]);

/** An account without credit is reported as a rate limit, told apart only by this sentence. Waiting does not help. */
const OUT_OF_CREDIT = /^Your prepayment credits are depleted/;

/** Reasons of a wrong key, which has status 400. */
const KEY_REASON = /^API_KEY_/;

/** The error of a response other than 2xx. */
export function errorOfResponse(response: ErrorResponse): UpstreamError {
  const report = readErrorReport(parseJson(response.body));
  return createResponseError(response, classifyErrorResponse(response, report), report);
}

/** The error of an error object within a 2xx response. */
export function errorInStream(head: HttpHead, error: unknown): UpstreamError {
  const report = readErrorReport(error);
  const code =
    findKnownStreamWord(STREAM_STATUSES, report) ??
    (report.code === null ? "provider_error" : classify(report.code, report));
  return createStreamError(head, code, report, report.code);
}

function classifyErrorResponse(response: ErrorResponse, report: GeminiReport): UpstreamFault {
  const { status } = response.head;
  // The operator's key, or restrictions of the operator's account.
  const isOurs = KEY_REASON.test(report.reason ?? "") || report.status === "FAILED_PRECONDITION";
  if (status === 400 && isOurs) return "account_fault";
  if (status === 429 && OUT_OF_CREDIT.test(report.message ?? "")) return "account_fault";
  if (status === 499) return "canceled";
  return classifyResponse(response, report);
}

const EMPTY_REPORT: GeminiReport = { message: null, words: [], status: null, code: null, reason: null };

function readErrorReport(value: unknown): GeminiReport {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  const error: unknown = isJsonObject(outer) ? outer.error : undefined;
  if (typeof error === "string") return { ...EMPTY_REPORT, message: error };
  if (!isJsonObject(error)) return EMPTY_REPORT;
  const details: readonly unknown[] = Array.isArray(error.details) ? error.details : [];
  const records = details.filter(isJsonObject);
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

function find(details: readonly JsonObject[], type: string): JsonObject | undefined {
  return details.find((detail) => typeof detail["@type"] === "string" && detail["@type"].endsWith(`.${type}`));
}

/** Whole seconds of a duration such as `34.4s`, rounded up; null if it is malformed. */
function readDuration(value: unknown): number | null {
  const match = typeof value === "string" ? /^(\d{1,9}(?:\.\d+)?)s$/.exec(value) : null;
  return match === null ? null : Math.ceil(Number(match[1]));
}
