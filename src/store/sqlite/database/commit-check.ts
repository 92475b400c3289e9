// Checks after a commit that the database and its WAL still hold it. When another file was copied over one of them, or
// one was truncated, the path still leads to the file that was opened: only the content shows it.
import { closeSync, openSync } from "node:fs";
import type { Connection } from "./connection.ts";
import { createIdentityCheck, fileGoneError } from "./file-identity.ts";
import { readAt, readCommittedGeneration, readFileGeneration } from "./generation.ts";

/** The check over the files of an open database. */
export interface CommitCheck {
  /** Throws a StoreError (`gone`) when a restart would not find in the files what was committed before. */
  check(): void;
  close(): void;
}

/**
 * Format of SQLite's WAL: a header, then one frame a page; each frame repeats the salts of the header that it was
 * written under.
 */
const WAL_HEADER_BYTES = 32;
const WAL_SALTS_OFFSET = 16;
const FRAME_HEADER_BYTES = 24;
const FRAME_SALTS_OFFSET = 8;
const SALTS_BYTES = 8;

/** Another process may write between two reads of one check, so a check fails only when all attempts fail. */
const ATTEMPTS = 5;
const RETRY_MS = 2;

/** The state of the WAL: its salts (null while it is empty) and its number of frames. */
interface Wal {
  readonly salts: bigint | null;
  readonly frames: number;
}

const EMPTY_WAL: Wal = { salts: null, frames: 0 };

/**
 * Records the identity and content of the files. `descriptor` is open on the database file. A check costs some
 * microseconds; the writer makes one after every commit.
 */
export function createCommitCheck(connection: Connection, descriptor: number): CommitCheck {
  const { database, settings } = connection;
  const checkIdentity = createIdentityCheck(settings.path);
  const walDescriptor = openSync(`${settings.path}-wal`, "r");
  const pageBytes = Number(database.prepare("pragma page_size").get()?.["page_size"]);
  const countFrames = database.prepare("pragma wal_checkpoint(noop)");
  let generation = readFileGeneration(descriptor) ?? 0;
  let wal = readWal();

  function isSameDatabase(): boolean {
    const found = readFileGeneration(descriptor);
    if (found === generation) return true;
    if (found === null || found < generation || found > readCommittedGeneration(connection)) return false;
    generation = found;
    return true;
  }

  function isSameWal(): boolean {
    const found = readWal();
    // With the same salts, the last frame of the previous check is still there. With new salts the WAL has started
    // over: all of the previous one is in the database file.
    const isSame =
      found.salts === wal.salts
        ? found.frames >= wal.frames && saltsOfFrame(wal.frames) === wal.salts
        : saltsOfFrame(found.frames) === found.salts && (found.salts !== null || found.frames === 0);
    if (isSame) wal = found;
    return isSame;
  }

  function readWal(): Wal {
    const frames = Number(countFrames.get()?.["log"]);
    return frames > 0 ? { salts: saltsAt(WAL_SALTS_OFFSET), frames } : EMPTY_WAL;
  }

  function saltsOfFrame(frame: number): bigint | null {
    if (frame === 0) return null;
    return saltsAt(WAL_HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + pageBytes) + FRAME_SALTS_OFFSET);
  }

  /** Null beyond the end of the WAL. */
  function saltsAt(offset: number): bigint | null {
    return readAt(walDescriptor, offset, SALTS_BYTES)?.readBigUInt64BE() ?? null;
  }

  return {
    check() {
      checkIdentity();
      if (!holds(isSameDatabase)) throw fileGoneError(settings.path, `Another file was written over ${settings.path}`);
      if (!holds(isSameWal)) throw fileGoneError(settings.path, `Another file was written over ${settings.path}-wal`);
    },
    close: () => closeSync(walDescriptor),
  };
}

function holds(isSame: () => boolean): boolean {
  for (let attempt = 1; !succeeds(isSame); attempt++) {
    if (attempt === ATTEMPTS) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
  return true;
}

/** SQLite throws when it finds that the file is not its database any more. */
function succeeds(isSame: () => boolean): boolean {
  try {
    return isSame();
  } catch {
    return false;
  }
}
