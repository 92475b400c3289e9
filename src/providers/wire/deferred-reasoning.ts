// Reasoning is collected until it can be emitted: it becomes one item.
import { GrowingText } from "../../base/growing-text.ts";
import { countJsonBytes } from "../../base/json.ts";
import { countCharacters } from "../../contract/characters.ts";
import type { RoundDecoding } from "./round-decoding.ts";

/** Growing reasoning that its decoding counts until it is taken or released. */
export class DeferredReasoning {
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
    this.#decoding.defer(bytes, characters, characters);
  }

  whole(): string {
    return this.#text.whole();
  }

  /** The whole text, which is about to be emitted. The next one begins empty. */
  take(): string {
    const whole = this.#text.whole();
    this.release();
    this.#text = new GrowingText();
    return whole;
  }

  /** The text so far is about to be emitted, or is dropped: it counts no more. */
  release(): void {
    this.#decoding.defer(-this.#bytes, -this.#characters, -this.#characters);
    this.#bytes = 0;
    this.#characters = 0;
  }
}
