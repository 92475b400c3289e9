// Makes text safe to log: keys replaced, length limited.

/** Patterns of keys: ours, management tokens, and the providers'. */
const KEY_SHAPES = /\b(?:sk[_-]|adm_|AIza)[0-9A-Za-z_-]{8,}|\bBearer\s+\S+/gi;
/** Longest value, characters. */
const CHARACTERS_MAX = 1000;

/** The text with keys replaced by `[redacted]`, cut to its first 1,000 characters. */
export function scrub(text: string): string {
  // Cut before replacing, with some margin, so that megabytes of text cost no time.
  const bounded = text.length > 2 * CHARACTERS_MAX ? text.slice(0, 2 * CHARACTERS_MAX) : text;
  const scrubbed = bounded.replace(KEY_SHAPES, "[redacted]");
  return scrubbed.length > CHARACTERS_MAX ? `${scrubbed.slice(0, CHARACTERS_MAX)}…` : scrubbed;
}
