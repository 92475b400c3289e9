// Creates the errors of all families, and limits what a client may read of the provider's message.
// @spec errors/failed-responses
import type { CatalogModel } from "../../core/models/catalog.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { ResponseHead } from "./exchange.ts";
import { isOverloadWord, saysOverloaded } from "./overload.ts";
import { cleanReason } from "./reason.ts";
import { readHeader, readRetryAfterSeconds } from "./response-headers.ts";
import { ERROR_MESSAGES, type UpstreamErrorCode, type ErrorClass, classifyStatus } from "./error-classes.ts";

/** A response other than 2xx. */
export interface ErrorResponse {
  readonly head: ResponseHead;
  /** Limited, and may be truncated. */
  readonly body: string;
  readonly apiKey: string | null;
  readonly model: CatalogModel;
  readonly nowMs: number;
}

/** An error within a 2xx response. */
export interface StreamError {
  readonly head: ResponseHead;
  /** The JSON value of the error. */
  readonly error: unknown;
  readonly apiKey: string | null;
}

/** The content of an error, on any wire. */
export interface ErrorReport {
  readonly message: string | null;
  /** Its codes and types, if they are strings. */
  readonly words: readonly string[];
  /** The provider's request id, if errors contain it. */
  readonly requestId?: string | null;
  /** Seconds to wait before a retry, if errors contain it; otherwise a header has it. */
  readonly retrySeconds?: number | null;
}

/** The class of an error response on every wire: by its status, and by its content if it means overload. */
export function classifyResponse({ head, body }: ErrorResponse, report: ErrorReport): ErrorClass {
  // Without a message the body is checked: gateways respond in plain text or HTML.
  return classify(head.status, { words: report.words, message: report.message ?? body });
}

/** The class of a status together with the codes and message of its error. */
export function classify(status: number, said: Pick<ErrorReport, "words" | "message">): ErrorClass {
  const verdict = classifyStatus(status);
  return saysOverloaded(status, said) ? { ...verdict, code: "provider_overloaded" } : verdict;
}

/** The error of a response other than 2xx. */
export function createResponseError(response: ErrorResponse, verdict: ErrorClass, report: ErrorReport): UpstreamError {
  const { head, apiKey, model, nowMs } = response;
  const isLimited = verdict.code === "provider_rate_limited";
  return new UpstreamError({
    code: verdict.code,
    // Sent by OpenAI and Anthropic: a retry would fail again, or run the request twice.
    certainlyNotRun: verdict.certainlyNotRun && readHeader(head.headers, "x-should-retry") !== "false",
    message:
      head.status === 404
        ? `The provider does not know the model ${model.id}.`
        : messageOf(verdict.code, report.message, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId ?? null,
    retryAfterSeconds: isLimited ? (report.retrySeconds ?? readRetryAfterSeconds(head.headers, nowMs)) : null,
    cause: causeOf(head.status, report.words),
  });
}

/** The error of an error within a 2xx response: the request ran. `status` is the status in the error, for the log. */
export function createStreamError(
  { head, apiKey }: StreamError,
  code: UpstreamErrorCode,
  report: ErrorReport,
  status: number | null = head.status,
): UpstreamError {
  return new UpstreamError({
    code,
    certainlyNotRun: false,
    message: messageOf(code, report.message, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId ?? null,
    retryAfterSeconds: code === "provider_rate_limited" ? (report.retrySeconds ?? null) : null,
    cause: causeOf(status, report.words),
  });
}

/** The error of a response that cannot be decoded: the request ran. */
export function invalidResponse(
  { provider, status, requestId }: ResponseHead,
  message: string,
  code: UpstreamErrorCode = "provider_error",
): UpstreamError {
  return new UpstreamError({ code, message, provider, status, requestId, certainlyNotRun: false });
}

/** The code of the first known word of an error; null if none is known. */
export function findKnownWord(
  known: ReadonlyMap<string, UpstreamErrorCode>,
  { words }: ErrorReport,
): UpstreamErrorCode | null {
  for (const word of words) {
    const code = known.get(word);
    if (code !== undefined) return code;
  }
  return null;
}

/** The same for errors in a stream, which have no status: words that mean overload count too. */
export function findKnownStreamWord(
  known: ReadonlyMap<string, UpstreamErrorCode>,
  { words }: ErrorReport,
): UpstreamErrorCode | null {
  for (const word of words) {
    const code = known.get(word) ?? (isOverloadWord(word) ? "provider_overloaded" : undefined);
    if (code !== undefined) return code;
  }
  return null;
}

/** Includes the provider's message only if it is about the client's request; others may reveal our account. */
function messageOf(code: UpstreamErrorCode, message: string | null, apiKey: string | null): string {
  const reason = code === "provider_client_error" && message !== null ? cleanReason(message, apiKey) : null;
  return reason === null ? ERROR_MESSAGES[code] : `The provider rejected the request: ${reason}`;
}

/** For the operator's log: codes and types only, since a message may quote a prompt. */
function causeOf(status: number | null, words: readonly string[]): Error {
  const bare = words.filter((word) => /^[\w.-]{1,80}$/.test(word));
  return new Error([`provider error: status ${status ?? "none"}`, ...bare].join(", "));
}
