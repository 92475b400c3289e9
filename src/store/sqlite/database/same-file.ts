// Whether a path still leads to the file that was opened: what is written to one that was moved or removed is lost with the process.
import { statSync } from "node:fs";
import { StoreError } from "../../../ports/store.ts";

/** Notes the file at the path; the answered function throws a StoreError (`unavailable`) once another one, or none, is there. */
export function noteFile(path: string): () => void {
  const opened = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    const what = found === undefined ? "is gone" : "is another file than the one that was opened";
    throw new StoreError("unavailable", `The database ${path} ${what}: what is written now is lost at the next start.`);
  };
}
