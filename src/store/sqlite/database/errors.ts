// Maps errors in the store's threads to the port's errors, and serializes them for the main thread.
import { AccountError, CeilingError } from "../../../ports/store/accounts.ts";
import { StoreError } from "../../../ports/store/store.ts";

/** SQLite's primary result codes after which nothing was changed and a later attempt may succeed. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([
  5, // busy: another process holds the lock
  6, // locked
  8, // read-only
  13, // full
  14, // cannot open
]);
const IO_ERROR = 10;
/** `SQLITE_CORRUPT` and `SQLITE_NOTADB`. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26]);
/** `SQLITE_IOERR_FSYNC`. */
const FSYNC_ERROR = 1034;
/** `SQLITE_IOERR_SHMSIZE`: the WAL's index cannot grow. */
const INDEX_SIZE_ERROR = 4874;

/** An error as a message between threads: structured clones lose classes and causes. */
export interface SerializedError {
  /** The kind of a StoreError; `denied` for a CeilingError, `rejected` for another AccountError. */
  readonly kind: StoreError["kind"] | "denied" | "rejected";
  readonly message: string;
}

/** Classifies an error. `committing`: COMMIT threw it; after a failed write there, the state on disk is unknown. */
export function serializeError(error: unknown, committing = false): SerializedError {
  if (error instanceof CeilingError) return { kind: "denied", message: error.message };
  if (error instanceof AccountError) return { kind: "rejected", message: error.message };
  if (error instanceof StoreError) return { kind: error.kind, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: storeKind(sqliteCode(error), committing), message };
}

/** Restores the error that the caller on the main thread sees. */
export function deserializeError({ kind, message }: SerializedError): StoreError | AccountError {
  if (kind === "denied") return new CeilingError(message);
  return kind === "rejected" ? new AccountError(message) : new StoreError(kind, message);
}

/** Whether no later write can be trusted or kept after this error. */
export function isFatal({ kind }: SerializedError): boolean {
  return kind === "lost" || kind === "gone";
}

/** SQLite's extended result code; null when the error is not SQLite's. */
export function sqliteCode(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
}

/** Whether SQLite read something that is no page of a database: the file is damaged or another one. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && DAMAGE_CODES.has(code & 0xff);
}

function storeKind(code: number | null, committing: boolean): StoreError["kind"] {
  if (code === null) return "failed";
  // After a failed fsync the kernel may drop the pages and report the next fsync as a success: no later write can be
  // trusted.
  if (code === FSYNC_ERROR) return "lost";
  // A full disk under another code, even at a commit: SQLite continues before that commit, and the next one overwrites
  // it in the WAL.
  if (code === INDEX_SIZE_ERROR) return "unavailable";
  const primary = code & 0xff;
  if (primary === IO_ERROR) return committing ? "lost" : "unavailable";
  return UNAVAILABLE_CODES.has(primary) ? "unavailable" : "failed";
}
