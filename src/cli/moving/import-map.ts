// The map of an import: a line for each conversation with its old and new id, written before the conversation is stored. With it an
// interrupted import goes on where it stopped: the conversations of its lines are stored already, the last of them perhaps in part.
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { isJsonObject, parseJson } from "../../base/json.ts";
import { tryLock } from "../../../packages/kit/lock.ts";
import { OperatorError, reasonOf } from "../../../packages/kit/operator-error.ts";

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
  /** The next conversation of earlier runs; null when there is none left. Called for each conversation of the file, in order. */
  next(from: string | null): Begun | null;
  /** Adds a conversation; it is on the disk when this returns. */
  add(from: string | null, to: string): void;
  /** Notes that all conversations are stored. */
  finish(): void;
  close(): void;
}

/** The last line of the map of an import that is done. */
const DONE = '{"done":true}';

/**
 * Opens the map of an import, or makes one, for this process alone. Throws an OperatorError for the map of another import, one in use, and
 * a file that can't be read or written.
 */
export function openImportMap(path: string, header: MapHeader): ImportMap {
  let unlock = () => {};
  try {
    unlock = lockMap(path);
    return openLocked(path, header, unlock);
  } catch (error) {
    unlock();
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new OperatorError(`the map ${path} can't be opened (${reasonOf(error)}).`, { cause: error });
  }
}

/** Locks the map; the operating system releases it with the process, however that ends. */
function lockMap(path: string): () => void {
  const unlock = tryLock(path);
  if (unlock === null) throw new OperatorError(`another import is running with the map ${path}.`);
  return unlock;
}

function openLocked(path: string, header: MapHeader, unlock: () => void): ImportMap {
  const { begun, bytes, isDone } = readWritten(path, header);
  const descriptor = openSync(path, "a");
  const append = (line: string) => {
    writeFileSync(descriptor, `${line}\n`);
    fdatasyncSync(descriptor);
  };
  // A line that a crash cut short.
  ftruncateSync(descriptor, bytes);
  if (bytes === 0) append(JSON.stringify({ import: header }));
  let read = 0;
  let isFinished = false;
  return {
    next(from) {
      const line = begun[read];
      if (line === undefined) return null;
      const entry = parseJson(line);
      read += 1;
      const place = `${path}:${read + 1}`;
      if (!isJsonObject(entry) || typeof entry["to"] !== "string")
        throw new OperatorError(`${place}: the map is damaged.`);
      if (entry["from"] !== from) {
        throw new OperatorError(`${place}: the map has ${String(entry["from"])} where the file has ${String(from)}.`);
      }
      return { to: entry["to"], isLast: read === begun.length && !isDone };
    },
    add: (from, to) => append(JSON.stringify({ from, to })),
    finish: () => {
      if (!isDone) append(DONE);
      isFinished = true;
    },
    close() {
      closeSync(descriptor);
      // Nothing is added to the map of an import that is done.
      if (isFinished) unlinkSync(`${path}.lock`);
      unlock();
    },
  };
}

/** What earlier runs have written. A map has some hundred bytes for each conversation, so it is read as a whole. */
interface Written {
  /** The lines of conversations. */
  readonly begun: readonly string[];
  /** Bytes of whole lines. */
  readonly bytes: number;
  /** Whether the last line says that all conversations are stored. */
  readonly isDone: boolean;
}

/** Reads how far an earlier run got; checks the first line. */
function readWritten(path: string, header: MapHeader): Written {
  const written = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const bytes = written.lastIndexOf("\n") + 1;
  if (bytes === 0) return { begun: [], bytes, isDone: false };
  const [first, ...lines] = written.toString("utf8", 0, bytes - 1).split("\n");
  const found = parseJson(first ?? "");
  if (!isJsonObject(found) || JSON.stringify(found["import"]) !== JSON.stringify(header)) {
    throw new OperatorError(
      `${path} is the map of another import, with another file, key or option; remove it to import again, or give --map.`,
    );
  }
  const isDone = lines.at(-1) === DONE;
  return { begun: isDone ? lines.slice(0, -1) : lines, bytes, isDone };
}
