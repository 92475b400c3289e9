// What the failures of all families share: what is known when one is made, and what a client may read of the provider's own words.
// @spec errors/failed-responses
import type { CatalogModel } from "../core/catalog.ts";
import { ProviderFailure } from "../ports/provider.ts";
import type { AnswerHead } from "./exchange.ts";
import { cleanReason } from "./reason.ts";
import { readHeader, readRetryAfterSeconds } from "./retry-after.ts";
import { FAILURE_SENTENCES, type ProviderFailureCode, type Verdict } from "./verdict.ts";

/** An answer other than 2xx. */
export interface RefusedAnswer {
  readonly head: AnswerHead;
  /** Bounded, and may be cut. */
  readonly body: string;
  readonly apiKey: string | null;
  readonly model: CatalogModel;
  readonly nowMs: number;
}

/** An error within a 2xx answer. */
export interface BrokenAnswer {
  readonly head: AnswerHead;
  /** The JSON value that says so. */
  readonly error: unknown;
  readonly apiKey: string | null;
}

/** What an error says, on any wire. */
export interface ErrorReport {
  readonly message: string | null;
  /** Its codes and types, as far as they are texts. */
  readonly words: readonly string[];
  /** The provider's id of the request, where errors name it. */
  readonly requestId?: string | null;
  /** When to ask again, where errors say it; else a header does. */
  readonly retrySeconds?: number | null;
}

/** The failure that a refused answer is, by this verdict. */
export function failureOfRefusal(answer: RefusedAnswer, verdict: Verdict, report: ErrorReport): ProviderFailure {
  const { head, apiKey, model, nowMs } = answer;
  const isLimited = verdict.code === "provider_rate_limited";
  return new ProviderFailure({
    code: verdict.code,
    // A word of OpenAI's and Anthropic's: asked again, the provider would answer the same, or run it twice.
    certainlyNotRun: verdict.certainlyNotRun && readHeader(head.headers, "x-should-retry") !== "false",
    message:
      head.status === 404
        ? `The provider does not know the model ${model.id}.`
        : sentenceOf(verdict.code, report.message, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId ?? null,
    retryAfterSeconds: isLimited ? (report.retrySeconds ?? readRetryAfterSeconds(head.headers, nowMs)) : null,
    cause: causeOf(head.status, report.words),
  });
}

/** The failure that an error within an answer is: the request ran. `status` is what the error says of itself, for the log. */
export function failureOfError(
  { head, apiKey }: BrokenAnswer,
  code: ProviderFailureCode,
  report: ErrorReport,
  status: number | null = head.status,
): ProviderFailure {
  return new ProviderFailure({
    code,
    certainlyNotRun: false,
    message: sentenceOf(code, report.message, apiKey),
    provider: head.provider,
    status: head.status,
    requestId: head.requestId ?? report.requestId ?? null,
    retryAfterSeconds: code === "provider_rate_limited" ? (report.retrySeconds ?? null) : null,
    cause: causeOf(status, report.words),
  });
}

/** A failure of an answer that makes no sense: the request ran. */
export function answerFailure(
  { provider, status, requestId }: AnswerHead,
  message: string,
  code: ProviderFailureCode = "provider_error",
): ProviderFailure {
  return new ProviderFailure({ code, message, provider, status, requestId, certainlyNotRun: false });
}

/** What the first known word of an error stands for; null when none is known. */
export function findWord(
  known: ReadonlyMap<string, ProviderFailureCode>,
  { words }: ErrorReport,
): ProviderFailureCode | null {
  for (const word of words) {
    const code = known.get(word);
    if (code !== undefined) return code;
  }
  return null;
}

/** The provider's own words only where they are about the client's request; elsewhere they speak of our account. */
function sentenceOf(code: ProviderFailureCode, message: string | null, apiKey: string | null): string {
  const reason = code === "provider_client_error" && message !== null ? cleanReason(message, apiKey) : null;
  return reason === null ? FAILURE_SENTENCES[code] : `The provider rejected the request: ${reason}`;
}

/** For the operator's log: the bare words, never a message, which may quote a prompt. */
function causeOf(status: number | null, words: readonly string[]): Error {
  const bare = words.filter((word) => /^[\w.-]{1,80}$/.test(word));
  return new Error([`provider error: status ${status ?? "none"}`, ...bare].join(", "));
}
