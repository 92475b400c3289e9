// A text that grows by thousands of deltas. docs/decisions/performance.md

/** Deltas that are joined into one flat string. */
const DELTAS_PER_PIECE = 64;

/**
 * Joins deltas into flat strings as they arrive. A delta may be a slice of its network chunk and would keep the whole
 * chunk alive, and repeated concatenation builds a rope of all deltas.
 */
export class GrowingText {
  #pieces: string[] = [];
  #deltas: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(delta: string): void {
    if (delta === "") return;
    this.#length += delta.length;
    if (this.#deltas.push(delta) < DELTAS_PER_PIECE) return;
    this.#pieces.push(this.#deltas.join(""));
    this.#deltas = [];
  }

  /** The whole text. The next call takes no time if nothing was added. */
  whole(): string {
    if (this.#deltas.length > 0 || this.#pieces.length > 1) this.#pieces = [this.#pieces.concat(this.#deltas).join("")];
    this.#deltas = [];
    return this.#pieces[0] ?? "";
  }

  /** Whether it begins with that text. Takes the time of that text, as `isStartOf` does: however long this one is. */
  startsWith(text: string): boolean {
    if (text.length > this.#length) return false;
    let at = 0;
    for (const pieces of [this.#pieces, this.#deltas]) {
      for (const piece of pieces) {
        if (at >= text.length) return true;
        if (!piece.startsWith(text.slice(at, at + piece.length))) return false;
        at += piece.length;
      }
    }
    return true;
  }

  /** Whether that text begins with this one. */
  isStartOf(text: string): boolean {
    return this.#length <= text.length && text.startsWith(this.whole());
  }
}
