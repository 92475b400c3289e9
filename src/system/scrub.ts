// Makes a text fit for a log: no key in it, and not endless.

/** What keys look like: ours, those of the management interface, and the providers'. */
const KEY_SHAPES = /\b(?:sk[_-]|adm_|AIza)[0-9A-Za-z_-]{8,}|\bBearer\s+\S+/gi;
/** Longest value, characters: a line says what happened, it holds no document. */
const CHARACTERS_MAX = 1000;

/** The text with every key in it replaced, cut at its longest. */
export function scrub(text: string): string {
  // Cut first, with room for what the replacing takes away, so that a text of megabytes costs no time.
  const bounded = text.length > 2 * CHARACTERS_MAX ? text.slice(0, 2 * CHARACTERS_MAX) : text;
  const scrubbed = bounded.replace(KEY_SHAPES, "[redacted]");
  return scrubbed.length > CHARACTERS_MAX ? `${scrubbed.slice(0, CHARACTERS_MAX)}…` : scrubbed;
}
