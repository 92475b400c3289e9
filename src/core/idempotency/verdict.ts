// Decides about a repeated Idempotency-Key. @spec limits (Idempotency rules); docs/wire.md (Idempotency)
import { ApiError } from "../../contract/errors.ts";

export interface EarlierRequest {
  readonly fingerprint: string;
  /** The API key that made it. */
  readonly keyId: string;
}

/**
 * Throws 409 `idempotency_conflict` for a key reused with another body, path or API key; the message reveals nothing of
 * the first request.
 */
export function assertSameRequest(earlier: EarlierRequest, fingerprint: string, keyId: string): void {
  if (earlier.fingerprint !== fingerprint) {
    throw conflict("this Idempotency-Key was used with a different request within its retention");
  }
  if (earlier.keyId !== keyId)
    throw conflict("this API key cannot read the result of the first request with this Idempotency-Key");
}

/** The 409 for a result that was deleted. */
export function deletedResultError(): ApiError {
  return conflict("the result of the first request with this Idempotency-Key was deleted");
}

/** Throws 409 `idempotency_in_progress` while the first request may still be waiting for its reply. */
export function assertWaitIsOver(startedAtMs: number, nowMs: number, waitSeconds: number): void {
  if (nowMs - startedAtMs < waitSeconds * 1000) throw inProgressError();
}

/** The 409 for a first request that has no reply yet or is being withdrawn. */
export function inProgressError(): ApiError {
  return new ApiError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still being processed.",
  );
}

function conflict(reason: string): ApiError {
  return new ApiError("idempotency_conflict", `Conflict: ${reason}.`);
}
