// Writes lines to a file descriptor that may block: a pipe whose reader stalls, a file on a full disk. Neither blocks
// the service nor its exit; that of `sonic-boom` would retry at exit without limit.
import { write, writeSync } from "node:fs";

/** Buffer for a stalled reader, bytes. Lines beyond it are dropped and counted. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** Largest write, bytes, so that little is left over from a partial one. */
const WRITE_BYTES = 64 * 1024;
/** Delay before a retry after EAGAIN, milliseconds. */
const RETRY_MS = 100;
/** How long the exit waits for a reader that reads nothing, milliseconds. */
const LAST_LINES_MS = 500;
const LAST_LINES_RETRY_MS = 10;

export interface LineWriter {
  /** Queues a line; lines are written soon and in order. A line that cannot be written is dropped. */
  write(line: string): void;
  /**
   * Writes the buffered lines after the write in progress. Resolves at the latest half a second after the reader
   * stopped reading. Never rejects.
   */
  flush(): Promise<void>;
  /** Synchronous flush for a process about to exit. A write already in progress may land after it or be truncated. */
  flushSync(): void;
}

/** Writes to an open descriptor and never closes it. `lostLine` formats the line that replaces dropped ones. */
export function createLineWriter(descriptor: number, lostLine: (lines: number) => string): LineWriter {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isWriting = false;
  let isScheduled = false;
  /** Set while flush waits for the write in progress; the callback then leaves the rest to it. */
  let onWritten: (() => void) | null = null;
  let dropped = 0;

  function writeSome(): void {
    isScheduled = false;
    if (isWriting || waiting.length === 0) return;
    const bytes = takeSome();
    isWriting = true;
    write(descriptor, bytes, (error, written) => {
      isWriting = false;
      if (error === null) putBack(bytes.subarray(written));
      else if (isBusy(error)) putBack(bytes);
      if (onWritten !== null) onWritten();
      else if (isBusy(error)) writeAfter(RETRY_MS);
      else writeSome();
    });
  }

  function writeAfter(milliseconds: number): void {
    isScheduled = true;
    // Does not keep the process alive: its exit flushes.
    setTimeout(writeSome, milliseconds).unref();
  }

  function takeSome(): Buffer {
    let bytes = 0;
    let count = 0;
    do bytes += waiting[count++]?.length ?? 0;
    while (bytes < WRITE_BYTES && count < waiting.length);
    waitingBytes -= bytes;
    return Buffer.concat(waiting.splice(0, count), bytes);
  }

  function putBack(bytes: Buffer): void {
    if (bytes.length === 0) return;
    waiting.unshift(bytes);
    waitingBytes += bytes.length;
  }

  async function untilWritten(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LAST_LINES_MS);
    onWritten = resolve;
    await promise;
    onWritten = null;
    clearTimeout(timer);
  }

  function flushSync(): void {
    let rest = Buffer.concat(
      dropped === 0 ? waiting.splice(0) : [...waiting.splice(0), Buffer.from(lostLine(dropped))],
    );
    waitingBytes = 0;
    dropped = 0;
    let triedUntilMs = performance.now() + LAST_LINES_MS;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(descriptor, rest));
        triedUntilMs = performance.now() + LAST_LINES_MS;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= triedUntilMs) return;
        pause(LAST_LINES_RETRY_MS);
      }
    }
  }

  return {
    write(line) {
      const bytes = Buffer.from(dropped === 0 ? line : lostLine(dropped) + line);
      if (waitingBytes + bytes.length > WAITING_BYTES_MAX) {
        dropped++;
        return;
      }
      dropped = 0;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (isWriting || isScheduled) return;
      isScheduled = true;
      // One write for all lines of one turn of the event loop.
      setImmediate(writeSome);
    },
    async flush() {
      if (isWriting) await untilWritten();
      // A descriptor that blocks the write in progress would block a synchronous one too, and with it the process.
      if (!isWriting) flushSync();
    },
    flushSync,
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

/** Blocks the thread: at exit, nothing else may run. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
