// Creates the errors of all families, and limits what a client may read of the provider's message.
// @spec errors/failed-responses
import type { CatalogModel } from "../../core/models/catalog.ts";
import { UpstreamError } from "../../ports/provider.ts";
import {
  classifyStatus,
  ERROR_MESSAGES,
  NOT_RUN_STATUS,
  type UpstreamErrorCode,
  type UpstreamFault,
} from "./error-codes.ts";
import type { HttpHead } from "./exchange.ts";
import { saysPromptTooLong } from "./prompt-length.ts";
import { cleanReason } from "./error-reason.ts";
import { readHeader, readRetryAfterSeconds } from "./response-headers.ts";
import { hideSecrets } from "./secrets.ts";

/** A response other than 2xx. */
export interface ErrorResponse {
  readonly head: HttpHead;
  /** Limited, and may be truncated. */
  readonly body: string;
  readonly model: CatalogModel;
}

/** The content of an error, on any wire. */
export interface ErrorReport {
  readonly message: string | null;
  /** Its codes and types, if they are strings. */
  readonly words: readonly string[];
  /** The HTTP status in it. */
  readonly status?: number | null;
  /** The provider's request id, if errors contain it. */
  readonly requestId?: string | null;
  /** Seconds to wait before a retry, if errors contain it; otherwise a header has it. */
  readonly retrySeconds?: number | null;
}

/** The meaning of an error response on every wire: by its status, and by its content if it means overload. */
export function classifyResponse({ head, body }: ErrorResponse, report: ErrorReport): UpstreamFault {
  // Without a message the body is checked: gateways respond in plain text or HTML.
  return classify(head.status, { words: report.words, message: report.message ?? body });
}

/** The meaning of a status together with the words and message of its error. */
export function classify(status: number, said: Pick<ErrorReport, "words" | "message">): UpstreamFault {
  return saysOverloaded(status, said) ? "provider_overloaded" : classifyStatus(status);
}

/** The error of a response other than 2xx. */
export function createResponseError(
  { head, model }: ErrorResponse,
  fault: UpstreamFault,
  report: ErrorReport,
): UpstreamError {
  const code = codeOf(fault);
  const tellsWait = code === "provider_rate_limited" || head.status === NOT_RUN_STATUS || head.status === 529;
  // Sent by OpenAI and Anthropic: a retry would fail again, or run the request twice.
  const forbidsRetry = readHeader(head.headers, "x-should-retry") === "false";
  return new UpstreamError({
    code,
    certainlyNotRun: head.status === NOT_RUN_STATUS && !head.hasRun && !forbidsRetry,
    hasRun: head.hasRun,
    isLasting: fault === "account_fault" || forbidsRetry,
    isPromptTooLong: code === "provider_client_error" && saysPromptTooLong(head.status, report),
    message:
      head.status === 404 ? `The provider does not know the model ${model.id}.` : messageOf(code, report.message, head),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId ?? null,
    retryAfterSeconds: tellsWait ? (report.retrySeconds ?? readRetryAfterSeconds(head.headers, head.receivedMs)) : null,
    cause: causeOf(head.status, report.words, head),
  });
}

/**
 * What an error within a stream means: what its words are known for, else by the status in it. Without either a sentence about the
 * length of the prompt decides.
 */
export function classifyInStream(known: UpstreamFault | null, report: ErrorReport): UpstreamFault {
  if (known !== null) return known;
  const { words, status = null } = report;
  if (status !== null) return classify(status, report);
  return words.length === 0 && saysPromptTooLong(200, report) ? "provider_client_error" : "provider_error";
}

/** The error of an error within a 2xx response: the request ran. */
export function createStreamError(head: HttpHead, fault: UpstreamFault, report: ErrorReport): UpstreamError {
  const status = report.status ?? head.status;
  const code = codeOf(fault);
  return new UpstreamError({
    code,
    certainlyNotRun: false,
    hasRun: head.hasRun,
    isLasting: fault === "account_fault",
    isPromptTooLong: code === "provider_client_error" && saysPromptTooLong(status, report),
    message: messageOf(code, report.message, head),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId ?? null,
    retryAfterSeconds: code === "provider_rate_limited" ? (report.retrySeconds ?? null) : null,
    cause: causeOf(status, report.words, head),
  });
}

function codeOf(fault: UpstreamFault): UpstreamErrorCode {
  return fault === "account_fault" ? "provider_unavailable" : fault;
}

/** The meaning of the first known word of an error; null if none is known. */
export function findKnownWord(known: ReadonlyMap<string, UpstreamFault>, { words }: ErrorReport): UpstreamFault | null {
  return words.map((word) => known.get(word)).find((fault) => fault !== undefined) ?? null;
}

/** The same for errors in a stream, which have no status: words that mean overload count too. */
export function findKnownStreamWord(
  known: ReadonlyMap<string, UpstreamFault>,
  { words }: ErrorReport,
): UpstreamFault | null {
  const faultOf = (word: string) => known.get(word) ?? (isOverloadWord(word) ? "provider_overloaded" : undefined);
  return words.map(faultOf).find((fault) => fault !== undefined) ?? null;
}

/** Includes the provider's message only if it is about the client's request; others may reveal our account. */
function messageOf(code: UpstreamErrorCode, message: string | null, { secrets }: HttpHead): string {
  const reason = code === "provider_client_error" && message !== null ? cleanReason(message, secrets) : null;
  return reason === null ? ERROR_MESSAGES[code] : `The provider rejected the request: ${reason}`;
}

/** For the operator's log: codes and types only, since a message may quote a prompt. */
function causeOf(status: number, words: readonly string[], { secrets }: HttpHead): Error {
  const bare = words.filter((word) => /^[\w.-]{1,80}$/.test(word) && hideSecrets(word, secrets) === word);
  return new Error([`provider error: status ${status}`, ...bare].join(", "));
}

const OVERLOADED = /overload|slow[ _]down|too[ _]busy|at[ _]capacity|queue is full|high demand/i;
/** Google's canonical status: comes from the model's own servers, not from a proxy in front of them. */
const UNAVAILABLE = /^unavailable$/i;

/** Whether an error code or type means overload, at any status. */
export function isOverloadWord(word: string): boolean {
  return OVERLOADED.test(word);
}

/**
 * Whether an error with this HTTP status means overload: by code or type at any 5xx, by message at 503 only, since
 * other messages may quote a prompt.
 */
export function saysOverloaded(
  status: number,
  { words, message }: { readonly words: readonly string[]; readonly message: string | null },
): boolean {
  if (status < 500) return false;
  if (words.some(isOverloadWord)) return true;
  return status === 503 && (words.some((word) => UNAVAILABLE.test(word)) || OVERLOADED.test(message ?? ""));
}
