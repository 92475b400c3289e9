// The check of the database's files that reads make: throttled, unlike the writer's, which runs before each
// acknowledgement (commit-check.ts).
import { StoreError } from "../../../ports/store/store.ts";
import { createIdentityCheck, fileGoneError } from "./file-identity.ts";
import { readFileGeneration } from "./generation.ts";

/** Interval between two checks, milliseconds: a check costs as much as a read. */
const CHECK_INTERVAL_MS = 10;
/** Checkpoints that may have passed since the last check. */
const GENERATIONS_MAX = 1000;

/**
 * Once a check has failed, or `recordError` was given such an error, every later check throws it (a StoreError,
 * `gone`).
 */
export interface FileCheck {
  check(): void;
  /** Checks when the last check is that long ago; default: 10 ms. */
  checkIfDue(intervalMs?: number): void;
  /** Records an error of the writer's own check; other errors are ignored. */
  recordError(error: unknown): void;
  /** Ends the checks: closing the store may remove the WAL. */
  stop(): void;
}

/** Records the identity of an open database's files. `descriptor` is open on the database file. */
export function createFileCheck(path: string, descriptor: number): FileCheck {
  const checkIdentity = createIdentityCheck(path);
  // 0 until the very first checkpoint, which another process may be running now.
  let generation = readFileGeneration(descriptor) ?? 0;
  let gone: unknown = null;
  let isStopped = false;
  let checkedMs = performance.now();

  /** Checks the header: a reader would take whatever is written over the file for the database's content. */
  function checkContent(): void {
    const found = readFileGeneration(descriptor);
    if (found === generation) return;
    const isLater = found !== null && found > generation && (generation === 0 || found - generation <= GENERATIONS_MAX);
    if (!isLater) throw fileGoneError(path, `Another file was written over ${path}`);
    generation = found;
  }

  const recordError = (error: unknown): void => {
    if (error instanceof StoreError && error.kind === "gone") gone ??= error;
  };
  const check = (): void => {
    if (gone !== null) throw gone;
    if (isStopped) return;
    checkedMs = performance.now();
    try {
      checkIdentity();
      checkContent();
    } catch (error) {
      recordError(error);
      throw error;
    }
  };
  return {
    check,
    checkIfDue(intervalMs = CHECK_INTERVAL_MS) {
      if (gone !== null || performance.now() - checkedMs >= intervalMs) check();
    },
    recordError,
    stop() {
      isStopped = true;
    },
  };
}
