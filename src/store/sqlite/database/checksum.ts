// The checksum of a backup: `FILE.sha256` beside it, as `sha256sum` writes and checks it. SQLite's own check of a file
// does not see a byte that changed inside a value.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { StoreError } from "../../../ports/store/store.ts";

const LINE = /^([0-9a-f]{64}) [ *]/;

/** Where the checksum of a backup stands. */
export const checksumPathOf = (file: string): string => `${file}.sha256`;

/** Removes the checksum of a backup that is no longer there. */
export function removeChecksum(file: string): void {
  rmSync(checksumPathOf(file), { force: true });
}

/** Writes the checksum of a file beside it; returns it in hexadecimal. Throws a StoreError (`failed`). */
export async function writeChecksum(file: string): Promise<string> {
  const path = checksumPathOf(file);
  try {
    const sha256 = await sha256Of(file);
    writeFileSync(path, `${sha256}  ${basename(file)}\n`, { flag: "wx", mode: 0o600, flush: true });
    return sha256;
  } catch (error) {
    throw new StoreError("failed", `${path} can't be written: ${(error as Error).message}.`, { cause: error });
  }
}

/**
 * Compares a file with the checksum beside it, which it returns; null if there is none. Throws a StoreError (`failed`)
 * when they differ.
 */
export async function verifyChecksum(file: string): Promise<string | null> {
  const path = checksumPathOf(file);
  if (!existsSync(path)) return null;
  const expected = LINE.exec(readFileSync(path, "utf8"))?.[1];
  if (expected === undefined) throw new StoreError("failed", `${path} is not a checksum as sha256sum writes it.`);
  if ((await sha256Of(file)) === expected) return expected;
  throw new StoreError("failed", `${file} was changed after its backup: it does not match ${path}.`);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
