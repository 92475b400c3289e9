// Collects the parts of a round's content for its state.
import { GrowingText } from "../../base/growing-text.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";

/** Parts in order. Neighbouring parts that only have text are joined: a long response has thousands of them. */
export class RoundParts {
  readonly #decoding: Pick<RoundDecoding, "countPiece" | "countState">;
  readonly #parts: JsonObject[] = [];
  #text = new GrowingText();
  #isThought = false;

  /** `decoding` counts what is kept. */
  constructor(decoding: Pick<RoundDecoding, "countPiece" | "countState">) {
    this.#decoding = decoding;
  }

  add(part: JsonObject): void {
    if (isPlainText(part)) this.#addText(part.text, part.thought === true);
    else {
      this.#closeText();
      this.#decoding.countState(JSON.stringify(part).length);
      this.#push(part);
    }
  }

  #addText(text: string, isThought: boolean): void {
    if (isThought !== this.#isThought) this.#closeText();
    this.#isThought = isThought;
    this.#text.add(text);
  }

  all(): readonly JsonObject[] {
    this.#closeText();
    return this.#parts;
  }

  #closeText(): void {
    if (this.#text.isEmpty) return;
    const text = this.#text.whole();
    this.#push(this.#isThought ? { text, thought: true } : { text });
    this.#text = new GrowingText();
  }

  #push(part: JsonObject): void {
    this.#decoding.countPiece();
    this.#parts.push(part);
  }
}

/** Whether a part only has text, and no signature or other field. */
function isPlainText(part: JsonObject): part is JsonObject & { text: string } {
  if (typeof part.text !== "string") return false;
  for (const key in part) if (key !== "text" && !(key === "thought" && typeof part.thought === "boolean")) return false;
  return true;
}
