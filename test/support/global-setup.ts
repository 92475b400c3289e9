// Given to `node --test` as its global setup: runs once in the process of the runner, before the first file. It ends
// and names a test file that does not end by itself. `--test-timeout` covers tests only, and a file may hang outside of
// them: before the first one, in a busy loop, by a handle that nothing closes. It shares the compiled modules: each
// file is a process of its own, and half of its work would be to strip and compile the same sources.
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawThird } from "./drawn.ts";
import { makeMemoryFolder } from "./memory-folder.ts";
import { offer } from "./shared.ts";

/** More than twice the time after which a test has failed; each file and test that begins or ends is reported. */
const QUIET_SECONDS = Number(process.env["TEST_FILE_SECONDS"] ?? 300);

/** Called by the test runner. */
export async function globalSetup(): Promise<void> {
  process.env["TEST_THIRD"] ??= drawThird();
  process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../../node_modules/.cache/tests");
  const folder = process.env["TMPDIR"] === undefined ? makeMemoryFolder() : null;
  if (folder !== null) {
    // PostgreSQL's databases are many and large, and its servers outlive this process for a moment.
    process.env["TEST_DISK"] = tmpdir();
    process.env["TMPDIR"] = folder;
  }
  await offer({
    app: async () => (await import("../browser/built-app.ts")).buildApp(),
    postgres: async () => (await import("../store/postgres-databases.ts")).startSharedServer(),
    program: async () => (await import("./built-program.ts")).buildProgram(),
    "store-thread": async () => (await import("./built-program.ts")).buildStoreThread(),
  });
  subscribe("child_process", (message) => watch((message as { process: ChildProcess }).process));
}

function watch(child: ChildProcess): void {
  let last = "";
  child.once("spawn", () => {
    const file = child.spawnargs.at(-1) ?? "";
    // The others are of what the files share.
    if (!/\.test\.m?[jt]s$/.test(file)) return;
    const timer = setTimeout(() => {
      process.stderr.write(
        `✖ ${file} reported nothing for ${QUIET_SECONDS} s, after ${last || "nothing"}: it is killed\n`,
      );
      child.kill("SIGKILL");
    }, QUIET_SECONDS * 1000).unref();
    child.stdout?.on("data", (reports: Buffer) => {
      timer.refresh();
      // The reports are binary, with the path of the file that a test is in.
      last =
        reports
          .toString("latin1")
          .match(/[\w./-]+\.test\.m?[jt]s/g)
          ?.at(-1) ?? last;
    });
    child.once("exit", (_, signal) => {
      clearTimeout(timer);
      // As a failed test is listed, for .ci/run: tests that the file did not come to are not in that list.
      if (signal !== null) process.stderr.write(`test at ${file}:1:1 ended by ${signal}\n`);
    });
  });
}
