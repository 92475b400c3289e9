// A text that grows by deltas, thousands of them for a long answer. docs/decisions/flat-strings.md

/** Deltas that are joined into one piece. */
const DELTAS_PER_PIECE = 64;

/**
 * Keeps what has been added in flat pieces. A delta may be a piece of the chunk that it came in, which it keeps alive as long as it is
 * kept itself; and a text that is added up one by one is a tree of all its deltas.
 */
export class GrowingText {
  readonly #pieces: string[] = [];
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

  /** All of it. */
  whole(): string {
    return [...this.#pieces, ...this.#deltas].join("");
  }
}
