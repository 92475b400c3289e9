// Errors of this wire: a response other than 2xx, an `error` event, and a failed response.
// @spec errors/failed-responses
import type { UpstreamError } from "../../ports/provider.ts";
import {
  classifyInStream,
  createResponseError,
  createStreamError,
  type ErrorReport,
  type ErrorResponse,
  findKnownStreamWord,
} from "../wire/errors.ts";
import { isJsonObject, parseJson } from "../../base/json.ts";
import { readErrorStatus, readText } from "../wire/json-shape.ts";
import { classifyByWords, SPECIFIC_WORDS, STREAM_WORDS } from "../wire/known-words.ts";
import type { UpstreamFault } from "../wire/error-codes.ts";
import type { HttpHead } from "../wire/exchange.ts";

/** In addition to those of other servers. */
const OWN_SPECIFIC_WORDS = [["data_residency_mismatch", "account_fault"]] as const;
const OWN_SPECIFIC = new Map<string, UpstreamFault>([...SPECIFIC_WORDS, ...OWN_SPECIFIC_WORDS]);
const OWN_STREAM = new Map<string, UpstreamFault>([
  ...STREAM_WORDS,
  ...OWN_SPECIFIC_WORDS,
  ["invalid_prompt", "provider_client_error"],
  ["service_unavailable_error", "provider_unavailable"],
]);

/** `bio_policy`, `misalignment_policy_violation`, …: the request violates a policy. */
const POLICY_WORD = /_policy(_violation)?$/;

/** The error of a response other than 2xx. */
export function errorOfResponse(response: ErrorResponse): UpstreamError {
  const report = readErrorReport(parseJson(response.body));
  return createResponseError(response, classifyByWords(response, report, OWN_SPECIFIC), report);
}

/** Whether a response rejects `include`, also in the words of a gateway, which quotes them. */
export function rejectsInclude(status: number, body: string): boolean {
  return status === 400 && /encrypted content is not supported|"param"\s*:\s*"include"/i.test(body);
}

/** The error of an error within a 2xx response. */
export function errorInStream(head: HttpHead, error: unknown): UpstreamError {
  const report = readErrorReport(error);
  const policy = report.words.some((word) => POLICY_WORD.test(word)) ? "provider_client_error" : null;
  const known = findKnownStreamWord(OWN_STREAM, report) ?? policy;
  return createStreamError(head, classifyInStream(known, report), report);
}

/**
 * Reads `{error: {message, type, code}}` of HTTP errors and most `error` events, and the flat form of the others. Words
 * are lower-case, in letters and digits joined by `_`.
 */
function readErrorReport(value: unknown): ErrorReport {
  if (!isJsonObject(value)) return { message: null, words: [] };
  if (typeof value.error === "string") return { message: readText(value.error), words: [] };
  const error = isJsonObject(value.error) ? value.error : value;
  // In the flat form `type` is the event type.
  const words = error === value ? [error.code] : [error.code, error.type];
  return {
    message: readText(error.message),
    words: words.flatMap((word) => readText(word) ?? []).map(toWord),
    status: readErrorStatus(error.code) ?? readErrorStatus(error.status),
  };
}

function toWord(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "_");
}
