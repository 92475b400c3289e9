// The arguments of a call, expected to be a JSON object, as they arrive in pieces.
import { GrowingText } from "../../base/growing-text.ts";
import { isJsonObject, parseJson } from "../../base/json.ts";

const BLANK = /^[ \t\n\r]*$/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKETS = [0x5b, 0x7b] as const;
const CLOSING_BRACKETS = [0x5d, 0x7d] as const;

/**
 * A growing text that knows at any time whether it is a JSON object. Each piece is scanned once, and the whole is parsed at most once:
 * parsing everything again with each piece would take half an hour for one megabyte.
 */
export class ObjectText {
  readonly #text = new GrowingText();
  /** Number of open brackets. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** `blank`: only white space so far; `closed`: the object has ended, with only white space after it; `broken`: not an object. */
  #state: "blank" | "open" | "closed" | "broken" = "blank";
  #isObject: boolean | null = null;

  get length(): number {
    return this.#text.length;
  }

  add(piece: string): void {
    if (piece === "") return;
    this.#text.add(piece);
    this.#scan(piece);
  }

  /** The whole text. */
  whole(): string {
    return this.#text.whole();
  }

  /** Whether the text so far is a JSON object. */
  isObject(): boolean {
    if (this.#state !== "closed") return false;
    this.#isObject ??= isJsonObject(parseJson(this.whole()));
    return this.#isObject;
  }

  #scan(piece: string): void {
    if (this.#state === "broken") return;
    let at = 0;
    if (this.#state === "blank") {
      at = piece.search(/[^ \t\n\r]/);
      if (at === -1) return;
      this.#state = piece[at] === "{" ? "open" : "broken";
    }
    if (this.#state === "open") at = this.#scanOpen(piece, at);
    if (this.#state === "closed" && !BLANK.test(piece.slice(at))) this.#state = "broken";
  }

  /** Tracks brackets and strings; returns the end of the object, or of the piece. */
  #scanOpen(piece: string, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (unit === QUOTE) this.#isInString = !this.#isInString;
      else if (this.#isInString) this.#isEscaped = unit === BACKSLASH;
      else if (unit === OPENING_BRACKETS[0] || unit === OPENING_BRACKETS[1]) this.#depth++;
      else if (unit === CLOSING_BRACKETS[0] || unit === CLOSING_BRACKETS[1]) {
        this.#depth--;
        if (this.#depth > 0) continue;
        this.#state = "closed";
        return at + 1;
      }
    }
    return piece.length;
  }
}

/** An ObjectText of a complete text. */
export function objectText(text: string): ObjectText {
  const whole = new ObjectText();
  whole.add(text);
  return whole;
}
