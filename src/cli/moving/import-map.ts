// The map of an import: a line for each conversation with its old and new id, written before the conversation is stored. With it an
// interrupted import goes on where it stopped: the conversations of its lines are stored already, the last of them perhaps in part.
import {
  closeSync,
  createReadStream,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { createInterface } from "node:readline";
import { isJsonObject, parseJson } from "../../base/json.ts";
import { StoreError } from "../../ports/store/store.ts";
import { acquireLock } from "../../store/sqlite/database/lock.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { reasonOf } from "../../config/system-error.ts";

/** What the map belongs to: the first line. */
export interface MapHeader {
  /** SHA-256 of the imported file. */
  readonly file_sha256: string;
  readonly key: string;
  readonly keep_ids: boolean;
  readonly leave_out: boolean;
}

/** A conversation that an earlier run has begun; it may be incomplete only if it is the last one. */
export interface Begun {
  readonly to: string;
  readonly isLast: boolean;
}

export interface ImportMap {
  /** How many conversations earlier runs have begun. */
  readonly begun: number;
  /** The next conversation of earlier runs; null when there is none left. Called for each conversation of the file, in order. */
  next(from: string | null): Promise<Begun | null>;
  /** Adds a conversation; it is on the disk when this returns. */
  add(from: string | null, to: string): void;
  /** Notes that all conversations are stored. */
  finish(): void;
  close(): void;
}

/** The last line of the map of an import that is done. */
const DONE = '{"done":true}\n';

/**
 * Opens the map of an import, or makes one, for this process alone. Throws an OperatorError for the map of another import, one in use, and
 * a file that can't be read or written.
 */
export async function openImportMap(path: string, header: MapHeader): Promise<ImportMap> {
  let lock: MapLock | null = null;
  try {
    lock = lockMap(path);
    return await openLocked(path, header, lock);
  } catch (error) {
    lock?.release();
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new OperatorError(`the map ${path} can't be opened (${reasonOf(error)}).`, { cause: error });
  }
}

interface MapLock {
  release(): void;
  /** Also removes the lock's file: for the map of an import that is done, to which nothing is added any more. */
  remove(): void;
}

/** The operating system releases it with the process, however that ends. */
function lockMap(path: string): MapLock {
  try {
    const release = acquireLock(path);
    return {
      release,
      remove() {
        unlinkSync(`${path}.lock`);
        release();
      },
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new OperatorError(`another import is running with the map ${path}.`, { cause: error });
  }
}

async function openLocked(path: string, header: MapHeader, lock: MapLock): Promise<ImportMap> {
  const isNew = !existsSync(path);
  const { entries: begun, bytes, isDone } = isNew ? NOTHING : await readExtent(path, header);
  const descriptor = openSync(path, isNew ? "wx" : "r+");
  let end = bytes;
  const append = (line: object) => {
    const text = Buffer.from(`${JSON.stringify(line)}\n`);
    writeSync(descriptor, text, 0, text.length, end);
    end += text.length;
    fdatasyncSync(descriptor);
  };
  // A line that a crash cut short.
  ftruncateSync(descriptor, bytes);
  if (bytes === 0) append({ import: header });
  const lines = begun === 0 ? null : linesOf(path)[Symbol.asyncIterator]();
  if (lines !== null) await lines.next();
  let read = 0;
  let isFinished = false;
  return {
    begun,
    async next(from) {
      if (lines === null || read >= begun) return null;
      const line = await lines.next();
      const entry = parseJson(line.done === true ? "" : line.value);
      read += 1;
      const place = `${path}:${read + 1}`;
      if (!isJsonObject(entry) || typeof entry["to"] !== "string")
        throw new OperatorError(`${place}: the map is damaged.`);
      if (entry["from"] !== from) {
        throw new OperatorError(`${place}: the map has ${String(entry["from"])} where the file has ${String(from)}.`);
      }
      return { to: entry["to"], isLast: read === begun && !isDone };
    },
    add: (from, to) => append({ from, to }),
    finish: () => {
      if (!isDone) append({ done: true });
      isFinished = true;
    },
    close() {
      closeSync(descriptor);
      if (isFinished) lock.remove();
      else lock.release();
    },
  };
}

function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

interface Extent {
  /** Lines of conversations. */
  readonly entries: number;
  /** Bytes of whole lines. */
  readonly bytes: number;
  /** Whether the last line says that all conversations are stored. */
  readonly isDone: boolean;
}

const NOTHING: Extent = { entries: 0, bytes: 0, isDone: false };

/** Reads how far an earlier run got; checks the first line. */
async function readExtent(path: string, header: MapHeader): Promise<Extent> {
  let lines = 0;
  let bytes = 0;
  let position = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
      lines += 1;
      bytes = position + at + 1;
    }
    position += chunk.length;
  }
  if (lines === 0) return NOTHING;
  for await (const first of linesOf(path)) {
    const found = parseJson(first);
    if (isJsonObject(found) && JSON.stringify(found["import"]) === JSON.stringify(header)) break;
    throw new OperatorError(
      `${path} is the map of another import, with another file, key or option; remove it to import again, or give --map.`,
    );
  }
  const isDone = endsWith(path, bytes, DONE);
  return { entries: lines - (isDone ? 2 : 1), bytes, isDone };
}

/** Whether the whole lines of a file end with a text. */
function endsWith(path: string, bytes: number, text: string): boolean {
  const descriptor = openSync(path, "r");
  try {
    const tail = Buffer.alloc(text.length);
    readSync(descriptor, tail, 0, tail.length, Math.max(0, bytes - tail.length));
    return tail.toString() === text;
  } finally {
    closeSync(descriptor);
  }
}
