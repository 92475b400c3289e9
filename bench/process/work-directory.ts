/** The temporary directory of a run, for databases and configuration files; removed at the end. */
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const workDirectory = mkdtempSync(join(tmpdir(), "turngate-bench-"));
process.on("exit", () => rmSync(workDirectory, { recursive: true, force: true }));

const TMPFS = 0x01021994;
let count = 0;

/** Whether the directory is a memory file system, where durable commits cost nothing. */
export function isStoreInMemory(): boolean {
  return statfsSync(workDirectory).type === TMPFS;
}

/** A new path in the directory. */
export function freshPath(name: string): string {
  return join(workDirectory, `${++count}-${name}`);
}
