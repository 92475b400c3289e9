// Tracks the position of a scan within the JSON structure: depth, kind of container, and the path for error messages.

/** Levels whose keys and indexes are kept; deeper paths are cut. */
const LEVELS_NAMED = 16;
/** Longest part of a key in a message, bytes. */
const KEY_BYTES_SHOWN = 64;

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

export class PathTracker {
  readonly #bytes: Uint8Array;
  /** One bit per level: set for an array. */
  #lists = new Uint8Array(64);
  readonly #index = new Int32Array(LEVELS_NAMED + 1);
  readonly #keyStart = new Int32Array(LEVELS_NAMED + 1);
  readonly #keyEnd = new Int32Array(LEVELS_NAMED + 1);
  /** Number of open objects and arrays. */
  depth = 0;
  /** Whether the innermost one is an array. */
  isList = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  enter(isList: boolean): void {
    const level = ++this.depth;
    const at = level >> 3;
    if (at >= this.#lists.length) {
      const longer = new Uint8Array(this.#lists.length * 2);
      longer.set(this.#lists);
      this.#lists = longer;
    }
    const bit = 1 << (level & 7);
    this.#lists[at] = isList ? (this.#lists[at] as number) | bit : (this.#lists[at] as number) & ~bit;
    this.isList = isList;
    if (level <= LEVELS_NAMED) {
      this.#index[level] = -1;
      this.#keyEnd[level] = 0;
    }
  }

  leave(): void {
    const level = --this.depth;
    this.isList = level > 0 && this.#isListAt(level);
  }

  nextElement(): void {
    if (this.depth <= LEVELS_NAMED) this.#index[this.depth] = (this.#index[this.depth] as number) + 1;
  }

  /** The next value's key starts at `at`, with its quote. */
  keyStarts(at: number): void {
    if (this.depth > LEVELS_NAMED) return;
    this.#keyStart[this.depth] = at;
    this.#keyEnd[this.depth] = at;
  }

  /** The key has been scanned up to `at`. */
  keyEnds(at: number): void {
    if (this.depth <= LEVELS_NAMED) this.#keyEnd[this.depth] = at;
  }

  /** The current top-level field; null outside of any. */
  get field(): string | null {
    return this.depth === 0 || this.#isListAt(1) || this.#keyEnd[1] === 0 ? null : this.#key(1);
  }

  /** The current path, such as `tools[2].parameters`; for a key, the path of its object. */
  name(isKey: boolean): string {
    // A key of the body itself is a top-level field.
    const levels = isKey && this.depth > 1 ? this.depth - 1 : this.depth;
    let name = "";
    for (let level = 1; level <= Math.min(levels, LEVELS_NAMED); level++) {
      if (this.#isListAt(level)) name += `[${this.#index[level]}]`;
      else name += level === 1 ? this.#key(level) : `.${this.#key(level)}`;
    }
    if (levels > LEVELS_NAMED) name += "…";
    return isKey && this.depth > 1 ? `A key of ${name}` : name;
  }

  #isListAt(level: number): boolean {
    return (((this.#lists[level >> 3] as number) >> (level & 7)) & 1) === 1;
  }

  /** A key for a message: shortened, with U+0000 escaped and half a surrogate pair replaced. */
  #key(level: number): string {
    const start = (this.#keyStart[level] as number) + 1;
    const end = this.#keyEnd[level] as number;
    const shown = TEXT.decode(this.#bytes.subarray(start, Math.min(end, start + KEY_BYTES_SHOWN))).replace(
      /\ufffd+$/,
      "",
    );
    if (end - start > KEY_BYTES_SHOWN) return `${shown}…`;
    const text = shown.replace(/"$/, "");
    const key: string = JSON.parse(`"${text}"`);
    return key.replaceAll("\u0000", "\\u0000").toWellFormed();
  }
}
