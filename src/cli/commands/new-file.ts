// Files that commands read and write, with errors in words.
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { OperatorError } from "../../config/operator-error.ts";

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

/** The text of a file. Throws an OperatorError if it can't be read. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new OperatorError(`${file} can't be read (${codeOf(error)}).`, { cause: error });
  }
}

function openNew(file: string, mode: number): number {
  try {
    return openSync(file, "wx", mode);
  } catch (error) {
    const code = codeOf(error);
    const message =
      code === "EEXIST"
        ? `${file} exists already and is left as it is; name a new file.`
        : `${file} can't be written (${code}); name a new file in a folder that exists.`;
    throw new OperatorError(message, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
