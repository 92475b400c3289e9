// The chunks of a body while it arrives. Each chunk is an object of some hundred bytes, so a body sent byte by byte
// would take a hundred times its size. docs/decisions/bodies.md

/** Shorter chunks are copied together. */
const SHORT_BYTES = 4 * 1024;
/** Size of the buffers that they are copied into: that of the body so far, within these bounds. */
const PIECE_BYTES_MIN = 512;
const PIECE_BYTES_MAX = 64 * 1024;

/** Collects the bytes of one body in order. */
export class BodyChunks {
  #buffers: Buffer[] = [];
  /** The last buffer, if short chunks are copied into it. */
  #open: Buffer | null = null;
  #openLength = 0;
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Buffers kept. */
  get count(): number {
    return this.#buffers.length + (this.#open === null ? 0 : 1);
  }

  /** Bytes kept, unused ones among them. */
  get bytesKept(): number {
    return this.#buffers.reduce((sum, { buffer }) => sum + buffer.byteLength, this.#open?.length ?? 0);
  }

  add(chunk: Buffer): void {
    const isFirst = this.#length === 0;
    this.#length += chunk.length;
    // Nearly every body is one chunk, which is not copied.
    if (isFirst || chunk.length >= SHORT_BYTES) {
      this.#closeOpen();
      this.#buffers.push(chunk);
    } else this.#copy(chunk);
  }

  /** The whole body. */
  whole(): Buffer {
    this.#closeOpen();
    return this.#buffers.length === 1 ? (this.#buffers[0] as Buffer) : Buffer.concat(this.#buffers, this.#length);
  }

  /** Releases all bytes. */
  clear(): void {
    this.#buffers = [];
    this.#open = null;
  }

  #copy(chunk: Buffer): void {
    if (this.#open === null || this.#openLength + chunk.length > this.#open.length) {
      this.#closeOpen();
      const most = Math.min(PIECE_BYTES_MAX, this.#length);
      this.#open = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES_MIN, chunk.length, most));
      this.#openLength = 0;
    }
    chunk.copy(this.#open, this.#openLength);
    this.#openLength += chunk.length;
  }

  #closeOpen(): void {
    if (this.#open === null) return;
    this.#buffers.push(this.#open.subarray(0, this.#openLength));
    this.#open = null;
  }
}
