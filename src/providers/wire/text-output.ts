// A text of a response, emitted as it arrives.
import { countCharacters } from "../../contract/characters.ts";
import type { RoundDecoding } from "./round-decoding.ts";
import { createTextCleaner, type TextCleaner } from "./text-cleaner.ts";

export class TextOutput {
  readonly #decoding: RoundDecoding;
  readonly #type: "text" | "refusal";
  readonly #cleaner: TextCleaner;

  constructor(decoding: RoundDecoding, type: "text" | "refusal") {
    this.#decoding = decoding;
    this.#type = type;
    this.#cleaner = createTextCleaner(decoding.warnOfNul);
  }

  /** Emits the next piece; returns what it emitted. */
  add(piece: string): string {
    this.#decoding.outputCharacters += countCharacters(piece);
    return this.#emit(this.#cleaner.clean(piece));
  }

  /** Emits what is left of an incomplete character; returns it. */
  end(): string {
    return this.#emit(this.#cleaner.end());
  }

  #emit(text: string): string {
    if (text !== "") this.#decoding.push({ type: this.#type, text });
    return text;
  }
}
