// Checks that the paths of an open database still lead to the files that were opened. Writes to a file that was removed,
// moved or replaced are lost when the process ends. See docs/decisions/store-engines.md
import { type Stats, statSync } from "node:fs";
import { StoreError } from "../../../ports/store/store.ts";

/** The database, its WAL and the WAL's index. Without the index other processes would not see this one's locks. */
const SUFFIXES = ["", "-wal", "-shm"] as const;

/** Interval between two checks of `checkIfDue`, milliseconds: a check costs as much as a read. */
const CHECK_INTERVAL_MS = 10;

/**
 * Records the files of an open database. Once a check has failed, or `recordError` was given such an error, every later
 * check throws it (a StoreError, `gone`).
 */
export function createFileCheck(path: string) {
  const recorded = SUFFIXES.map((suffix) => {
    const file = `${path}${suffix}`;
    return { file, opened: statSync(file) };
  });
  let gone: unknown = null;
  let isStopped = false;
  let checkedMs = performance.now();

  const check = (): void => {
    if (gone !== null) throw gone;
    if (isStopped) return;
    checkedMs = performance.now();
    for (const { file, opened } of recorded) {
      const found = statOrUndefined(file);
      if (found?.ino === opened.ino && found.dev === opened.dev) continue;
      throw (gone = goneError(path, `${file} is ${found === undefined ? "gone" : "not the file that was opened"}`));
    }
  };
  return {
    check,
    /** Checks when the last check is that long ago. */
    checkIfDue(intervalMs = CHECK_INTERVAL_MS): void {
      if (gone !== null || performance.now() - checkedMs >= intervalMs) check();
    },
    /** Records an error of another thread's check; other errors are ignored. */
    recordError(error: unknown): void {
      if (error instanceof StoreError && error.kind === "gone") gone ??= error;
    },
    /** Ends the checks: closing the store may remove the WAL. */
    stop(): void {
      isStopped = true;
    },
  };
}

function goneError(path: string, change: string): StoreError {
  return new StoreError(
    "gone",
    `${change}. The service on ${path} stops, because its further writes would be lost. To restore a backup, stop the service first, and remove the -wal and -shm files beside it.`,
  );
}

/** Undefined also when a directory on the path is missing or may not be searched. */
function statOrUndefined(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
