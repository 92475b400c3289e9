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

  /** Whether nothing has been added. */
  get isEmpty(): boolean {
    return this.#deltas.length === 0 && this.#pieces.length === 0;
  }

  add(delta: string): void {
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
}
