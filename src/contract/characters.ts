// Characters as limits count them, and the tokens they are estimated at. @spec limits (Context fit estimate);
// docs/wire.md (Objects)
import { CHARACTERS_PER_TOKEN } from "./limits.ts";

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/**
 * The number of code points: "characters" in every limit. The counts of pieces, cut anywhere, add up to the count of
 * the whole text.
 */
export function countCharacters(text: string): number {
  // Most texts have no surrogate pair, and the engine knows this at once of a one-byte string.
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Its low half follows, here or in the next piece: the two are one character.
    if (unit >= 0xd800 && unit <= 0xdbff) {
      count--;
      index++;
    }
  }
  return count;
}

/** The estimated number of tokens of that many characters, rounded up. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
