// Reads the Idempotency-Key header. @spec limits
import { invalidInput } from "../../contract/errors.ts";
import { IDEMPOTENCY_KEY_BYTES_MAX } from "../../contract/limits.ts";

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** The key; null when absent or empty. Throws 400 (param null) if it is too long, not printable ASCII or sent twice. */
export function readIdempotencyKey(headers: readonly string[]): string | null {
  if (headers.length > 1) throw invalidInput(null, "The Idempotency-Key header was sent more than once.");
  const key = headers[0] ?? "";
  if (key === "") return null;
  if (!PRINTABLE_ASCII.test(key)) {
    throw invalidInput(null, "The Idempotency-Key may hold printable ASCII characters only.");
  }
  if (key.length > IDEMPOTENCY_KEY_BYTES_MAX) {
    throw invalidInput(
      null,
      `The Idempotency-Key may have at most ${IDEMPOTENCY_KEY_BYTES_MAX} bytes, not ${key.length}.`,
    );
  }
  return key;
}
