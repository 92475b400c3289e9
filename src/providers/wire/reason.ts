// A provider's error message, made safe for a client: short, printable, without our key.
import { REASON_CHARACTERS_MAX } from "./bounds.ts";

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const REDACTED = "[redacted]";
/**
 * Shortest key that is redacted. Shorter ones (`none`, `ollama`, `k`) are placeholders for servers without keys, and would match within
 * words.
 */
export const SECRET_CHARACTERS_MIN = 8;

/**
 * The message as one line of at most 500 characters, without control characters, with every occurrence of the key redacted; null if
 * nothing remains.
 */
export function cleanReason(reason: string, apiKey: string | null): string | null {
  // Truncated roughly first, so that a long text takes no longer than a short one. The key is redacted before the exact cut, which
  // could leave half of it.
  const rough = reason.slice(0, REASON_CHARACTERS_MAX * 4 + (apiKey?.length ?? 0));
  const printable = rough.toWellFormed().replace(UNPRINTABLE, " ").trim();
  const isSecret = apiKey !== null && apiKey.length >= SECRET_CHARACTERS_MIN;
  const redacted = isSecret ? printable.replaceAll(apiKey, REDACTED) : printable;
  const characters = Array.from(redacted);
  if (characters.length === 0) return null;
  if (characters.length <= REASON_CHARACTERS_MAX) return redacted;
  return `${characters.slice(0, REASON_CHARACTERS_MAX - 1).join("")}…`;
}
