// Queues the bytes of a response for decoding, and limits how many are decoded in one turn of the event loop.
//
//   open ──64 KiB decoded in one turn, or the receiver returns a promise──▶ held: decoding and reading pause
//     ◀──the next turn, or the receiver has caught up──┘
import { DECODED_BYTES_A_TURN } from "./bounds.ts";

/** The connection being read. */
export interface ReadConnection {
  pause(): void;
  resume(): void;
}

/** Collects the chunks of one response and decodes them. */
export class Intake {
  readonly #decode: (bytes: Buffer) => void | Promise<void>;
  #connection: ReadConnection | null = null;
  /** Chunks not decoded yet. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isHeld = false;
  /** Called once everything read so far has been decoded. */
  #last: (() => void) | null = null;

  /** `decode` does not throw; the promise it returns is awaited before the next call. */
  constructor(decode: (bytes: Buffer) => void | Promise<void>) {
    this.#decode = decode;
  }

  /**
   * Adds a chunk. All chunks of one socket read are decoded together: undici calls once per HTTP chunk, which most servers send per delta,
   * and decoding and waking the run a hundred times for a burst of a hundred would be slow.
   */
  add(chunk: Buffer, connection: ReadConnection): void {
    this.#connection = connection;
    if (this.#waiting.push(chunk) === 1) queueMicrotask(this.#drain);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= DECODED_BYTES_A_TURN) connection.pause();
  }

  /** Calls `proceed` once everything read so far has been decoded. Only the first such call counts. */
  after(proceed: () => void): void {
    this.#drain();
    if (this.#isHeld) this.#last ??= proceed;
    else proceed();
  }

  readonly #drain = (): void => {
    if (this.#isHeld || this.#waiting.length === 0) return;
    const bytes = this.#waiting.length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const taken = this.#decode(bytes);
    if (taken !== undefined) this.#hold((proceed) => void taken.then(proceed));
    else if (bytes.length >= DECODED_BYTES_A_TURN) this.#hold(setImmediate);
  };

  #hold(wait: (proceed: () => void) => void): void {
    this.#isHeld = true;
    this.#connection?.pause();
    wait(() => {
      this.#isHeld = false;
      this.#drain();
      if (this.#isHeld) return;
      if (this.#last === null) this.#connection?.resume();
      else this.#last();
    });
  }
}
