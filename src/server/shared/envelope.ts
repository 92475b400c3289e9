// Error responses: the envelope and the headers that tell a client whether and when to retry. @spec errors
import { ERROR_CATALOGUE, type ErrorEnvelope, errorType, ApiError } from "../../contract/errors.ts";
import { RETRY_AFTER_SECONDS_MAX } from "../../contract/limits.ts";
import { LaterSchema, StoreError, UnconfirmedWrite } from "../../ports/store/store.ts";

const RETRY_AFTER_SECONDS_MIN = 1;

/** The body of an error response. */
export function toEnvelope(error: ApiError): ErrorEnvelope {
  const { message, status, param, code } = error;
  return { error: { message, type: errorType(status, code), param, code } };
}

/** The ApiError for anything thrown: itself if it is one, otherwise a 5xx without details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UnconfirmedWrite) {
    const message =
      "The database did not confirm the change, so it may or may not have been made. Check before you repeat it without an Idempotency-Key.";
    return new ApiError("database_unavailable", message, { cause: error });
  }
  if (error instanceof LaterSchema) {
    const message =
      "This process is older than its database's schema. Nothing was created: try again, or use another node, until it is upgraded.";
    return new ApiError("database_unavailable", message, { cause: error });
  }
  if (error instanceof StoreError) {
    return error.kind === "unavailable" || error.kind === "gone"
      ? new ApiError("database_unavailable", "The database is currently unavailable. Nothing was created.", {
          cause: error,
        })
      : new ApiError("database_error", "The database failed. Report the x-request-id of this response.", {
          cause: error,
        });
  }
  return new ApiError(
    "internal_server_error",
    "An internal error occurred. Report the x-request-id of this response.",
    {
      cause: error,
    },
  );
}

/** The internal cause to log: what an ApiError was caused by, or the error itself if it is not one. */
export function causeOf(error: unknown): unknown {
  return error instanceof ApiError ? error.cause : (error ?? String(error));
}

/**
 * `retry-after` and `x-should-retry`, names and values in turn. Official clients retry every 409, 429 and 5xx, with or
 * without an Idempotency-Key: `x-should-retry: false` stops them where a retry is useless or would create a second
 * response.
 */
export function retryHeaders(error: ApiError, request: { hasIdempotencyKey: boolean }): string[] {
  const seconds = retryAfterSeconds(error);
  const shouldRetry = decideShouldRetry(error, seconds, request.hasIdempotencyKey);
  const headers: string[] = [];
  if (seconds !== null) headers.push("retry-after", String(seconds));
  if (shouldRetry !== null) headers.push("x-should-retry", String(shouldRetry));
  return headers;
}

/** Whole seconds: our own from 1 to 60, a provider's unchanged. Null if the catalogue has none for the code. */
function retryAfterSeconds(error: ApiError): number | null {
  const rule = ERROR_CATALOGUE[error.code].retryAfter;
  const known = error.retryAfterSeconds;
  if (rule === "never" || known === undefined) return null;
  const seconds = Math.ceil(known);
  // A provider's value is not capped: a retry before it is over would fail.
  if (rule === "when_known") return seconds;
  return Math.min(Math.max(seconds, RETRY_AFTER_SECONDS_MIN), RETRY_AFTER_SECONDS_MAX);
}

/** The value of `x-should-retry`; null where clients decide for themselves. */
function decideShouldRetry(error: ApiError, seconds: number | null, hasIdempotencyKey: boolean): boolean | null {
  // Clients ignore a longer wait and retry at once.
  if (seconds !== null) return seconds <= RETRY_AFTER_SECONDS_MAX;
  if (error.code === "request_timeout") return hasIdempotencyKey ? null : false;
  if (error.isLasting) return false;
  const entry = ERROR_CATALOGUE[error.code];
  return "shouldRetry" in entry ? entry.shouldRetry : null;
}
