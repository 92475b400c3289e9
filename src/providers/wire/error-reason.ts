// A provider's error message, made safe for a client: short, printable, without our secrets.
import { REASON_CHARACTERS_MAX } from "./bounds.ts";
import { hideSecrets } from "./secrets.ts";

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/**
 * The message as one line of at most 500 characters, without control characters, with every secret redacted; null if nothing remains.
 */
export function cleanReason(reason: string, secrets: readonly string[]): string | null {
  // Truncated roughly first, so that a long text takes no longer than a short one. Secrets are redacted before the exact cut, which
  // could leave half of one.
  const rough = reason.slice(0, REASON_CHARACTERS_MAX * 4 + Math.max(0, ...secrets.map(({ length }) => length)));
  const redacted = hideSecrets(rough.toWellFormed().replace(UNPRINTABLE, " ").trim(), secrets);
  const characters = Array.from(redacted);
  if (characters.length === 0) return null;
  if (characters.length <= REASON_CHARACTERS_MAX) return redacted;
  return `${characters.slice(0, REASON_CHARACTERS_MAX - 1).join("")}…`;
}
