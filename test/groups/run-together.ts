// Runs test files in one process, one after the other: to start a process and import the service costs more than most
// files take.
import { globSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
import { GROUPS } from "./groups.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Runs the files of a group, each as a suite. Its hooks are its own, and a failure names the place in its file. */
export async function runTogether(group: keyof typeof GROUPS): Promise<void> {
  // A test that waits for nothing would let the process end before the files that follow.
  const keepsAlive = setInterval(() => {}, 60_000);
  for (const file of globSync(GROUPS[group], { cwd: ROOT }).sort()) {
    // oxlint-disable-next-line no-await-in-loop -- the next one is imported when this one has ended
    await describe(file, async () => {
      await import(pathToFileURL(join(ROOT, file)).href);
    });
  }
  clearInterval(keepsAlive);
}
