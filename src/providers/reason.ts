// A provider's own words, made fit for a client: short, printable, without our key.
import { REASON_CHARACTERS_MAX } from "./bounds.ts";

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const REDACTED = "[redacted]";
/**
 * Shortest key that is blotted out. Shorter ones (`none`, `ollama`, `k`) are for servers that ask for none: anybody could guess them,
 * and they would be found within words.
 */
const SECRET_CHARACTERS_MIN = 8;

/**
 * The reason as one line of at most 500 characters, without control characters, every occurrence of a secret key blotted out; null when
 * nothing is left.
 */
export function cleanReason(reason: string, apiKey: string | null): string | null {
  // Cut roughly first, so that a long text costs no more than a short one; the key is blotted out before the exact cut, so that
  // no half of it remains at the end.
  const rough = reason.slice(0, REASON_CHARACTERS_MAX * 4 + (apiKey?.length ?? 0));
  const printable = rough.toWellFormed().replace(UNPRINTABLE, " ").trim();
  const isSecret = apiKey !== null && apiKey.length >= SECRET_CHARACTERS_MIN;
  const blotted = isSecret ? printable.replaceAll(apiKey, REDACTED) : printable;
  const characters = Array.from(blotted);
  if (characters.length === 0) return null;
  if (characters.length <= REASON_CHARACTERS_MAX) return blotted;
  return `${characters.slice(0, REASON_CHARACTERS_MAX - 1).join("")}…`;
}
