// The generation of a database file: a number in its header that is incremented before each of our checkpoints.
//
// A database in WAL mode changes only through checkpoints; everything else is in the WAL. A file of the last known
// generation, or of one committed since, therefore has the right content together with the WAL. A file of any other
// generation was copied over it.
import { randomInt } from "node:crypto";
import { readSync } from "node:fs";
import type { Connection } from "./connection.ts";

/**
 * Upper bound of a database's first generation, which is random so that two databases rarely share one. Leaves room for
 * every later checkpoint.
 */
const FIRST_MAX = 2 ** 30;

/**
 * SQLite's file format: the magic string at the start, and the offset of `user_version`, which holds the generation.
 */
const MAGIC = Buffer.from("SQLite format 3\0");
const GENERATION_OFFSET = 60;
const HEADER_BYTES = 64;

/** The generation in an open database file's header; null when the file is no database. */
export function readFileGeneration(descriptor: number): number | null {
  const header = readAt(descriptor, 0, HEADER_BYTES);
  return header?.subarray(0, MAGIC.length).equals(MAGIC) ? header.readInt32BE(GENERATION_OFFSET) : null;
}

/** Reads `length` bytes at an offset; null when the file is too short. */
export function readAt(descriptor: number, offset: number, length: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(length);
  return readSync(descriptor, bytes, 0, length, offset) === length ? bytes : null;
}

/** The last committed generation; the database file may still have an earlier one. 0: none was ever started. */
export function readCommittedGeneration({ database }: Pick<Connection, "database">): number {
  return Number(database.prepare("pragma user_version").get()?.["user_version"]);
}

/**
 * Starts a generation before a checkpoint. The checkpoint flushes the WAL before it copies it, so this commit needs no
 * flush of its own. A failure, such as a full disk, must not prevent the checkpoint.
 */
export function startGeneration({ database }: Pick<Connection, "database">): void {
  try {
    const last = readCommittedGeneration({ database });
    database.exec("pragma synchronous = normal");
    database.exec(`pragma user_version = ${last === 0 ? randomInt(1, FIRST_MAX) : last + 1}`);
  } catch {
    // The file keeps its generation.
  } finally {
    database.exec("pragma synchronous = full");
  }
}
