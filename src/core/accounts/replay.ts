// What a repeated Idempotency-Key means. @spec limits (Idempotency rules); docs/wire.md, rule 10
import { Refusal } from "../../contract/errors.ts";

export interface EarlierRequest {
  readonly fingerprint: string;
  /** The API key that made it. */
  readonly keyId: string;
}

/** Refuses 409 `idempotency_conflict` a key reused with another body, path or API key; the message tells nothing of the first. */
export function checkSameRequest(earlier: EarlierRequest, fingerprint: string, keyId: string): void {
  if (earlier.fingerprint !== fingerprint) {
    throw conflict("this Idempotency-Key was used with a different request within its retention");
  }
  if (earlier.keyId !== keyId)
    throw conflict("this API key cannot read what the first request with this Idempotency-Key made");
}

/** The 409 for a first result that is gone. */
export function refuseGoneResult(): Refusal {
  return conflict("what the first request with this Idempotency-Key made is no longer readable");
}

/** Refuses 409 `idempotency_in_progress` while the first request may still be waiting for its own answer. */
export function checkWaitIsOver(startedAtMs: number, nowMs: number, waitSeconds: number): void {
  if (nowMs - startedAtMs < waitSeconds * 1000) throw refuseInProgress();
}

/** The 409 for a first request that has not been answered yet, or is being taken back. */
export function refuseInProgress(): Refusal {
  return new Refusal(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still being processed.",
    { retryAfterSeconds: 1 },
  );
}

function conflict(reason: string): Refusal {
  return new Refusal("idempotency_conflict", `Conflict: ${reason}.`);
}
