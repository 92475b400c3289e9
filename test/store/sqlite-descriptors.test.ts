// A process that is out of file descriptors: the store's threads that start on demand cannot start. See
// docs/reliability.md, F-15
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { pathFor } from "./sqlite-files.ts";

test("a thread that cannot start is unavailable, not lost, and starts later; the WAL stays short without the checkpointer", async (t) => {
  const script = new URL("./descriptors-victim.ts", import.meta.url).pathname;
  const command = 'ulimit -n 64 && exec "$0" "$@"';
  const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, script, pathFor(t)]);
  assert.deepEqual(JSON.parse(stdout), {
    withoutDescriptors: ["unavailable", "unavailable"],
    afterwards: "found",
    staysShort: true,
  });
});
