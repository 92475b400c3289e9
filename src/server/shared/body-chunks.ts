// The chunks of a body while it arrives, copied into one buffer. Each chunk is an object of some hundred bytes, so a
// body sent byte by byte would take a hundred times its size. docs/decisions/bodies.md

const NO_BYTES = Buffer.alloc(0);

/** Collects the bytes of one body in order. */
export class BodyChunks {
  readonly #expected: number;
  #buffer: Buffer = NO_BYTES;
  #length = 0;

  /** `expected`: the length of the body if it is known, else 0. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Bytes kept, unused ones among them. */
  get bytesKept(): number {
    return this.#buffer.length;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    // Nearly every body is one chunk, which is not copied.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  /** The whole body. */
  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Releases all bytes. */
  clear(): void {
    this.#buffer = NO_BYTES;
  }

  /** Moves the bytes to a buffer of twice their length, but not beyond the expected one, which may never arrive. */
  #grow(length: number): void {
    const twice = 2 * this.#length;
    const enough = this.#expected > 0 ? Math.min(twice, this.#expected) : twice;
    const larger = Buffer.allocUnsafeSlow(Math.max(length, enough));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
