import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import test from "node:test";
import manifest from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");

/** The arguments that `npm test` gives Node before the files, with a shorter time for a test. */
const FLAGS = manifest.scripts.test
  .split(" ")
  .filter((word) => word.startsWith("--"))
  .map((flag) => flag.replace(/^(--test-timeout)=\d+$/, "$1=200"));

test("npm test names a hanging test and a hanging file, and ends", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "turngate-hang-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, code: string) => {
    writeFileSync(join(folder, name), code);
    return join(folder, name);
  };
  const files = [
    write("waits.test.mjs", 'import test from "node:test"; test("waits for nothing", () => new Promise(() => {}));'),
    write("stays.test.mjs", "setInterval(() => {}, 1000); await new Promise(() => {});"),
  ];
  // Without the context of this run: the inner run would write its reports.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const run = spawn(process.execPath, [...FLAGS, ...files], {
    cwd: ROOT,
    env: { ...environment, TEST_FILE_SECONDS: "8" },
  });
  const ended = new Promise((resolve) => run.once("exit", resolve));
  const [printed, complained, status] = await Promise.all([text(run.stdout), text(run.stderr), ended]);
  assert.equal(status, 1);
  assert.match(printed, /waits for nothing .*\n\s+'test timed out after 200ms'/s);
  assert.match(complained, /stays\.test\.mjs reported nothing for 8 s/);
});
