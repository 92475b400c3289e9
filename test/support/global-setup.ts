// Given to `node --test` as its global setup: runs once in the process of the runner, before the first file. It ends
// and names a test file that does not end by itself. `--test-timeout` covers tests only, and a file may hang outside of
// them: before the first one, in a busy loop, by a handle that nothing closes. It shares the compiled modules: each
// file is a process of its own, and half of its work would be to strip and compile the same sources.
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { shareServer } from "./engine.ts";

/** More than five times what the slowest file takes on two busy cores. */
const LIMIT_SECONDS = Number(process.env["TEST_FILE_SECONDS"] ?? 300);

/** Called by the test runner. */
export async function globalSetup(): Promise<void> {
  process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../../node_modules/.cache/tests");
  await shareServer();
  subscribe("child_process", (message) => endInTime((message as { process: ChildProcess }).process));
}

function endInTime(child: ChildProcess): void {
  const timer = setTimeout(() => {
    process.stderr.write(`✖ ${child.spawnargs.at(-1)} did not end within ${LIMIT_SECONDS} s: it is killed\n`);
    child.kill("SIGKILL");
  }, LIMIT_SECONDS * 1000).unref();
  child.once("exit", () => clearTimeout(timer));
}
