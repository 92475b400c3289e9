// What a character is, and how many make a token. @spec limits (Context fit estimate); docs/wire.md, objects
import { CHARACTERS_PER_TOKEN } from "./limits.ts";

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Code points of a text: what "characters" means in every limit. Of a text that comes in pieces, cut anywhere, the counts add up to its own. */
export function countCharacters(text: string): number {
  // Most texts hold no surrogate pair, which the engine tells at once of a one-byte string.
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // A high surrogate is followed by its low half, here or in the next piece: the two are one character.
    if (unit >= 0xd800 && unit <= 0xdbff) {
      count--;
      index++;
    }
  }
  return count;
}

/** Estimate of the tokens that so many characters take, rounded up. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
