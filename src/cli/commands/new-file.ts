// New files that commands write.
import { closeSync, openSync, writeFileSync } from "node:fs";
import { OperatorError } from "../../config/operator-error.ts";
import { reasonOf } from "../../config/system-error.ts";

/** Readable by its owner alone. */
const PRIVATE = 0o600;
const PUBLIC = 0o666;

/** Opens a new file that its owner alone can read. Throws an OperatorError if there is one, or if it can't be made. */
export function openNewFile(file: string): number {
  return openNew(file, PRIVATE);
}

/** Writes a new file without secrets. Throws an OperatorError as `openNewFile` does. */
export function writeNewFile(file: string, text: string): void {
  const descriptor = openNew(file, PUBLIC);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function openNew(file: string, mode: number): number {
  try {
    return openSync(file, "wx", mode);
  } catch (error) {
    const message =
      error instanceof Error && "code" in error && error.code === "EEXIST"
        ? `${file} exists already and is left as it is; name a new file.`
        : `${file} can't be written (${reasonOf(error)}).`;
    throw new OperatorError(message, { cause: error });
  }
}
