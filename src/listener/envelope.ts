// An error as a client sees it: the envelope and the headers that say whether and when to retry. @spec errors
import { ERROR_CATALOGUE, type ErrorEnvelope, errorType, Refusal } from "../contract/errors.ts";
import { RETRY_AFTER_SECONDS_MAX } from "../contract/limits.ts";
import { StoreError } from "../ports/store.ts";

const RETRY_AFTER_SECONDS_MIN = 1;

/** The body of an error answer. */
export function toEnvelope(refusal: Refusal): ErrorEnvelope {
  const { message, status, param, code } = refusal;
  return { error: { message, type: errorType(status, code), param, code } };
}

/** What a client is told about anything that was thrown: a refusal as it is, the rest without detail. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreError) {
    return error.kind === "unavailable"
      ? new Refusal("database_unavailable", "The database is not available at the moment; nothing was created.", {
          cause: error,
        })
      : new Refusal("database_error", "The database could not answer. Report the x-request-id of this answer.", {
          cause: error,
        });
  }
  return new Refusal("internal_server_error", "Something went wrong here. Report the x-request-id of this answer.", {
    cause: error,
  });
}

/**
 * `retry-after` and `x-should-retry`, names and values in turn. Official clients retry 409, 429 and 5xx blindly, with or without
 * a key: they are told not to where a retry is useless or, without an Idempotency-Key, creates a second response.
 */
export function retryHeaders(refusal: Refusal, request: { hasIdempotencyKey: boolean }): string[] {
  const seconds = retryAfterSeconds(refusal);
  const shouldRetry = decideShouldRetry(refusal, seconds !== null, request.hasIdempotencyKey);
  const headers: string[] = [];
  if (seconds !== null) headers.push("retry-after", String(seconds));
  if (shouldRetry !== null) headers.push("x-should-retry", String(shouldRetry));
  return headers;
}

/** Whole seconds from 1 to 60, or null where the code's rule sends none. */
function retryAfterSeconds(refusal: Refusal): number | null {
  const rule = ERROR_CATALOGUE[refusal.code].retryAfter;
  const known = refusal.retryAfterSeconds;
  if (rule === "never" || (rule === "when_known" && known === undefined)) return null;
  const seconds = Math.ceil(known ?? RETRY_AFTER_SECONDS_MIN);
  return Math.min(Math.max(seconds, RETRY_AFTER_SECONDS_MIN), RETRY_AFTER_SECONDS_MAX);
}

/** The value of `x-should-retry`, null where clients may decide for themselves. */
function decideShouldRetry(refusal: Refusal, hasRetryAfter: boolean, hasIdempotencyKey: boolean): boolean | null {
  if (hasRetryAfter) return true;
  if (refusal.code === "request_timeout") return hasIdempotencyKey ? null : false;
  const entry = ERROR_CATALOGUE[refusal.code];
  return "shouldRetry" in entry ? entry.shouldRetry : null;
}
