// Collects the parts of a round's content for its state.
import { BLOCKS_MAX } from "../wire/bounds.ts";
import { GrowingText } from "../../base/growing-text.ts";
import type { JsonObject } from "../../base/json.ts";

/** Parts in order. Neighbouring parts that only have text are joined: a long response has thousands of them. */
export class RoundParts {
  readonly #tooMany: () => Error;
  readonly #parts: JsonObject[] = [];
  #text = new GrowingText();
  #isThought = false;

  /** `tooMany` creates the error that is thrown for more than BLOCKS_MAX parts. */
  constructor(tooMany: () => Error) {
    this.#tooMany = tooMany;
  }

  add(part: JsonObject): void {
    if (isPlainText(part)) this.#addText(part.text, part.thought === true);
    else {
      this.#closeText();
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
    if (this.#parts.push(part) > BLOCKS_MAX) throw this.#tooMany();
  }
}

/** Whether a part only has text, and no signature or other field. */
function isPlainText(part: JsonObject): part is JsonObject & { text: string } {
  if (typeof part.text !== "string") return false;
  for (const key in part) if (key !== "text" && !(key === "thought" && typeof part.thought === "boolean")) return false;
  return true;
}
