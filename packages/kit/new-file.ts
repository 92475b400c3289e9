// New files that commands write.
import { createWriteStream, openSync, rmSync, writeFileSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { OperatorError, reasonOf } from "./operator-error.ts";

/** Readable by its owner alone. */
const PRIVATE = 0o600;
/** Bytes that are written at once. */
const WRITE_BYTES = 256 * 1024;

/** Opens a new file that its owner alone can read. Throws an OperatorError if there is one, or if it can't be made. */
export function openNewFile(file: string): number {
  return namingFile(file, () => openSync(file, "wx", PRIVATE));
}

/** Writes a new file without secrets. Throws an OperatorError as `openNewFile` does. */
export function writeNewFile(file: string, text: string): void {
  namingFile(file, () => writeFileSync(file, text, { flag: "wx" }));
}

/**
 * Writes a new file that its owner alone can read. It is on the disk when this resolves, and removed when it can't be completed. Throws an
 * OperatorError as `openNewFile` does, and what `texts` throws.
 */
export async function writeWholeFile(file: string, texts: AsyncIterable<string>): Promise<void> {
  const fd = openNewFile(file);
  try {
    await pipeline(texts, createWriteStream(file, { fd, flush: true, highWaterMark: WRITE_BYTES }));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function namingFile<T>(file: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const message =
      error instanceof Error && "code" in error && error.code === "EEXIST"
        ? `${file} exists already and is left as it is; name a new file.`
        : `${file} can't be written (${reasonOf(error)}).`;
    throw new OperatorError(message, { cause: error });
  }
}
