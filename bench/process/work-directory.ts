/** The temporary directory of a run: databases and configuration files, removed at its end. */
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const workDirectory = mkdtempSync(join(tmpdir(), "turngate-bench-"));
process.on("exit", () => rmSync(workDirectory, { recursive: true, force: true }));

const TMPFS = 0x01021994;
let count = 0;

/** Memory pretends to be a disk here: durable commits would cost nothing. */
export function isStoreInMemory(): boolean {
  return statfsSync(workDirectory).type === TMPFS;
}

/** A path in it that was not used yet. */
export function freshPath(name: string): string {
  return join(workDirectory, `${++count}-${name}`);
}
