// Errors in the shape of Google's services: Gemini's own, and those of the servers in front of any model on Vertex AI.
import type { UpstreamError } from "../../ports/provider.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { UpstreamFault } from "./error-codes.ts";
import {
  classifyInStream,
  classifyResponse,
  createStreamError,
  type ErrorReport,
  type ErrorResponse,
  findKnownStreamWord,
} from "./errors.ts";
import type { HttpHead } from "./exchange.ts";
import { readErrorStatus, readText } from "./json-shape.ts";

/** The content of `{error: {code, message, status, details}}`, alone or first in an array. */
export interface GoogleReport extends ErrorReport {
  /** The canonical status, such as RESOURCE_EXHAUSTED. */
  readonly canonical: string | null;
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

/** What a response other than 2xx means. */
export function classifyGoogleResponse(response: ErrorResponse, report: GoogleReport): UpstreamFault {
  const { status } = response.head;
  // The project has not enabled the model, or may not use it.
  if (status === 400 && report.canonical === "FAILED_PRECONDITION") return "account_fault";
  if (status === 499) return "canceled";
  return classifyResponse(response, report);
}

/** The error of an error object within a 2xx response. */
export function googleErrorInStream(head: HttpHead, report: GoogleReport): UpstreamError {
  return createStreamError(head, classifyInStream(findKnownStreamWord(STREAM_STATUSES, report), report), report);
}

const EMPTY_REPORT: GoogleReport = { message: null, words: [], status: null, canonical: null, reason: null };

/** Reads the report; every field may be missing. */
export function readGoogleReport(value: unknown): GoogleReport {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  const error: unknown = isJsonObject(outer) ? (outer.error ?? outer) : undefined;
  if (typeof error === "string") return { ...EMPTY_REPORT, message: error };
  if (!isJsonObject(error)) return EMPTY_REPORT;
  const details: readonly unknown[] = Array.isArray(error.details) ? error.details : [];
  const records = details.filter(isJsonObject);
  const canonical = readText(error.status);
  const reason = readText(find(records, "ErrorInfo")?.reason);
  return {
    message: readText(error.message),
    words: [canonical, reason].filter((word) => word !== null),
    status: readErrorStatus(error.code),
    canonical,
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
