// Lines to a file descriptor that may take none: a pipe whose reader stalls or has gone, a file on a full disk. Neither holds up the
// service, nor its end: pino's own destination retries at the end for as long as it takes.
import { write, writeSync } from "node:fs";

/** What may wait for a reader that stalls, bytes; lines beyond it are lost, and counted. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** Most bytes of one write, so that what has to wait is little. */
const WRITE_BYTES = 64 * 1024;
/** How long after a reader took nothing it is tried again, milliseconds. */
const RETRY_MS = 100;
/** How long the end of the process waits for a reader that takes nothing, milliseconds. */
const LAST_LINES_MS = 500;
const LAST_LINES_RETRY_MS = 10;

export interface LineWriter {
  /** Writes soon, in order; what cannot be written is lost. */
  write(line: string): void;
  /**
   * Writes what still waits, behind what is being written; resolves at the latest half a second after a reader stopped taking it. Never
   * rejects.
   */
  flush(): Promise<void>;
  /** The same before it returns, for who must not go on: what is being written at this moment may come behind it, or be cut. */
  flushSync(): void;
}

/** Opens nothing: the descriptor is open, and stays so. `lostLine` makes the line that stands where so many lines were lost. */
export function openLineWriter(descriptor: number, lostLine: (lines: number) => string): LineWriter {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isUnderWay = false;
  let isAwaited = false;
  /** Who waits for the end of the write that is under way, to do the rest. */
  let onWritten: (() => void) | null = null;
  let lost = 0;

  function writeSome(): void {
    isAwaited = false;
    if (isUnderWay || waiting.length === 0) return;
    const bytes = takeSome();
    isUnderWay = true;
    write(descriptor, bytes, (error, written) => {
      isUnderWay = false;
      if (error === null) putBack(bytes.subarray(written));
      else if (isBusy(error)) putBack(bytes);
      if (onWritten !== null) onWritten();
      else if (isBusy(error)) writeAfter(RETRY_MS);
      else writeSome();
    });
  }

  function writeAfter(milliseconds: number): void {
    isAwaited = true;
    // Keeps no process alive: the last lines are flushed.
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
    let rest = Buffer.concat(lost === 0 ? waiting.splice(0) : [...waiting.splice(0), Buffer.from(lostLine(lost))]);
    waitingBytes = 0;
    lost = 0;
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
      const bytes = Buffer.from(lost === 0 ? line : lostLine(lost) + line);
      if (waitingBytes + bytes.length > WAITING_BYTES_MAX) {
        lost++;
        return;
      }
      lost = 0;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (isUnderWay || isAwaited) return;
      isAwaited = true;
      // The lines of one turn of the event loop go together.
      setImmediate(writeSome);
    },
    async flush() {
      if (isUnderWay) await untilWritten();
      // A descriptor that holds a write held up would hold up this one too, and with it the process.
      if (!isUnderWay) flushSync();
    },
    flushSync,
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

/** Waits without the event loop, which nothing may go through any more. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
