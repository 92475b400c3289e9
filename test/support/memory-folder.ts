// A temporary folder in memory, where the embedded databases of tests wait for no disk.
import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const FILE_SYSTEM = "/dev/shm";
/** Each user of the machine has one. */
const PARENT = join(FILE_SYSTEM, `turngate-tests-${process.getuid?.() ?? 0}`);
/** Several times what a run has there at once. */
const FREE_BYTES_MIN = 4 * 1024 ** 3;

/** Makes a folder that is removed when this process ends; null where memory has no file system, or no space for it. */
export function makeMemoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(FILE_SYSTEM);
    if (Math.min(bavail * bsize, freemem()) < FREE_BYTES_MIN) return null;
    mkdirSync(PARENT, { recursive: true });
    removeLeft();
    const folder = join(PARENT, String(process.pid));
    mkdirSync(folder);
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  } catch {
    return null;
  }
}

/** Removes the folders of runs that have ended. */
function removeLeft(): void {
  for (const name of readdirSync(PARENT)) {
    if (!isRunning(Number(name))) rmSync(join(PARENT, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
