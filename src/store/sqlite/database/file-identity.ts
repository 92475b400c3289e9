// Checks that the paths of a database still lead to the files that were opened. Writes to a file that was removed,
// moved or replaced are lost when the process ends.
import { type Stats, statSync } from "node:fs";
import { StoreError } from "../../../ports/store/store.ts";

/** The database, its WAL and the WAL's index. Without the index other processes would not see this one's locks. */
const SUFFIXES = ["", "-wal", "-shm"] as const;

/**
 * Records the files at the paths of an open database. The returned function throws a StoreError (`gone`) once a path
 * leads to another file, or to none.
 */
export function createIdentityCheck(path: string): () => void {
  const recorded = SUFFIXES.map((suffix) => {
    const file = `${path}${suffix}`;
    return { file, opened: statSync(file) };
  });
  return () => {
    for (const { file, opened } of recorded) {
      const found = statOrUndefined(file);
      if (found?.ino !== opened.ino || found.dev !== opened.dev) throw fileGoneError(path, describeChange(file, found));
    }
  };
}

/** The error for a database whose files were replaced; `change` names the file and what happened to it. */
export function fileGoneError(path: string, change: string): StoreError {
  return new StoreError(
    "gone",
    `${change}. The service on ${path} stops, because its further writes would be lost. To restore a backup, stop the service first, and remove the -wal and -shm files beside it.`,
  );
}

function describeChange(file: string, found: Stats | undefined): string {
  return found === undefined ? `${file} is gone` : `${file} is not the file that was opened`;
}

/** Undefined also when a directory on the path is missing or may not be searched. */
function statOrUndefined(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
