// What goes wrong in a thread of the store, in the words of the ports, and how it crosses to the main thread.
import { AccountError } from "../../../ports/accounts.ts";
import { StoreError } from "../../../ports/store.ts";
import type { StoreOutcome } from "../../../ports/telemetry.ts";

/** SQLite's primary result codes that say: nothing was changed, later it may work. */
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
/** `SQLITE_IOERR_SHMSIZE`: the journal's index cannot grow. */
const INDEX_SIZE_ERROR = 4874;

/** An error as it crosses between threads: classes and causes do not survive that. */
export type CarriedError =
  | { readonly kind: "store"; readonly storeKind: StoreError["kind"]; readonly message: string }
  | { readonly kind: "account"; readonly message: string };

/** Names an error by its kind. `committing`: it came from COMMIT, where a failed write leaves unknown what is on disk. */
export function carryError(error: unknown, committing = false): CarriedError {
  if (error instanceof AccountError) return { kind: "account", message: error.message };
  if (error instanceof StoreError) return { kind: "store", storeKind: error.kind, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "store", storeKind: storeKind(sqliteCode(error), committing), message };
}

/** The error that a caller on the main thread sees. */
export function reviveError(carried: CarriedError): StoreError | AccountError {
  return carried.kind === "account"
    ? new AccountError(carried.message)
    : new StoreError(carried.storeKind, carried.message);
}

/** An error in one word. */
export function kindOf(error: CarriedError): Exclude<StoreOutcome, "ok"> {
  return error.kind === "account" ? "refused" : error.storeKind;
}

/** Whether an error says that no later write can be trusted. */
export function isLost(error: CarriedError): boolean {
  return error.kind === "store" && error.storeKind === "lost";
}

/** SQLite's extended result code; null when the error is not SQLite's. */
export function sqliteCode(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
}

/** Whether SQLite found what it read to be no page of a database: damaged, or another file. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && DAMAGE_CODES.has(code & 0xff);
}

function storeKind(code: number | null, committing: boolean): StoreError["kind"] {
  if (code === null) return "failed";
  // After a failed fsync the kernel may drop the pages and call the next fsync a success: nothing later can be trusted.
  if (code === FSYNC_ERROR) return "lost";
  // A full disk under another name, at a commit too: SQLite goes on before that commit, whose place in the journal the next one takes.
  if (code === INDEX_SIZE_ERROR) return "unavailable";
  const primary = code & 0xff;
  if (primary === IO_ERROR) return committing ? "lost" : "failed";
  return UNAVAILABLE_CODES.has(primary) ? "unavailable" : "failed";
}
