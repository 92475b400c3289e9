// A text that is collected until it can be emitted: reasoning becomes one item.
import { GrowingText } from "../../base/growing-text.ts";
import { countJsonBytes } from "../../base/json-size.ts";
import { countCharacters } from "../../contract/characters.ts";
import type { RoundDecoding } from "./round-decoding.ts";

/** A growing text that counts as kept by its decoding until it is taken. */
export class HeldText {
  readonly #decoding: RoundDecoding;
  #text = new GrowingText();
  #bytes = 0;
  #characters = 0;

  constructor(decoding: RoundDecoding) {
    this.#decoding = decoding;
  }

  get isEmpty(): boolean {
    return this.#text.isEmpty;
  }

  add(piece: string): void {
    if (piece === "") return;
    const [bytes, characters] = [countJsonBytes(piece), countCharacters(piece)];
    this.#text.add(piece);
    this.#bytes += bytes;
    this.#characters += characters;
    this.#decoding.hold(bytes, characters);
  }

  /** The whole text, which is about to be emitted. The next one begins empty. */
  take(): string {
    const whole = this.#text.whole();
    this.#decoding.hold(-this.#bytes, -this.#characters);
    this.#text = new GrowingText();
    this.#bytes = 0;
    this.#characters = 0;
    return whole;
  }
}
