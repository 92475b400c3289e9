// Errors of this wire: a response other than 2xx, and an error object within a stream. @spec errors/failed-responses
import type { UpstreamError } from "../../ports/provider.ts";
import {
  classifyInStream,
  createResponseError,
  createStreamError,
  type ErrorReport,
  type ErrorResponse,
  findKnownStreamWord,
} from "../wire/errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { readErrorStatus, readText } from "../wire/json-shape.ts";
import { classifyByWords, SPECIFIC_WORDS, STREAM_WORDS } from "../wire/known-words.ts";
import type { UpstreamFault } from "../wire/error-codes.ts";
import type { HttpHead } from "../wire/exchange.ts";

/** Codes that decide for errors in a stream; some servers send the names of exceptions. */
const CHAT_STREAM_WORDS: ReadonlyMap<string, UpstreamFault> = new Map([
  ...STREAM_WORDS,
  ["ratelimiterror", "provider_rate_limited"],
  ["badrequesterror", "provider_client_error"],
  ["bad_request", "provider_client_error"],
  ["exceed_context_size_error", "provider_client_error"],
  ["content_filter", "provider_client_error"],
  ["internalservererror", "provider_unavailable"],
  ["service_unavailable", "provider_unavailable"],
]);

/** The error of a response other than 2xx. */
export function errorOfResponse(response: ErrorResponse): UpstreamError {
  const report = readErrorReport(parseJson(response.body)) ?? reportOfText(response.body);
  return createResponseError(response, classifyByWords(response, report, SPECIFIC_WORDS), report);
}

/** The error of an error object within a 2xx response. */
export function errorInStream(head: HttpHead, error: unknown): UpstreamError {
  const report = readErrorReport(error) ?? { message: null, words: [] };
  return createStreamError(head, classifyInStream(findKnownStreamWord(CHAT_STREAM_WORDS, report), report), report);
}

/**
 * The content of an error, wherever the server puts it; its words are lower-case. Reads `{error: {message, code, type}}`, `{error: "…"}`, `{message, …}`, `{detail: "…"}`, `{detail: [{msg}]}`, and an
 * array of one of them; null if the value has none of these shapes.
 */
export function readErrorReport(value: unknown): ErrorReport | null {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof outer === "string") return reportOfText(outer);
  if (!isJsonObject(outer)) return null;
  const error = outer.error;
  if (typeof error === "string") return { ...reportOfRecord(outer), message: error };
  if (isJsonObject(error)) return reportOfRecord(error);
  return reportOfRecord(outer);
}

function reportOfRecord(record: JsonObject): ErrorReport {
  const code = record.code;
  const words = [code, record.type, record.status].filter((word) => typeof word === "string" && word !== "");
  return {
    message: readText(record.message) ?? readText(record.msg) ?? readDetail(record.detail),
    words: words.map((word) => String(word).toLowerCase()),
    status: readErrorStatus(code) ?? readErrorStatus(record.status),
  };
}

function readDetail(detail: unknown): string | null {
  if (!Array.isArray(detail)) return readText(detail);
  const first: unknown = detail[0];
  return isJsonObject(first) ? readText(first.msg) : readText(first);
}

/** For a body that is not JSON: its text is the message, unless it is HTML. */
function reportOfText(body: string): ErrorReport {
  const isPage = /^\s*</.test(body);
  return { message: isPage || body.trim() === "" ? null : body, words: [], status: null };
}
