// Node's flags are repeated in each place that starts a process.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FLAGS } from "../../bin/runtime.js";
import manifest from "../../package.json" with { type: "json" };

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const flagsOf = (command: string) =>
  command.split(" ").filter((word) => /^--(?:max-semi-space-size|v8-pool-size)=/.test(word));

test("npm start, the command and the start with traces give Node the same flags", () => {
  const started = flagsOf(manifest.scripts.start);
  assert.equal(started.length, 2);
  assert.deepEqual(flagsOf(read("bin/turngate.js").split("\n")[0] ?? ""), started);
  // For the process that an older Node starts.
  assert.deepEqual(FLAGS, started);
  const traced = read("docs/observability.md")
    .split("\n")
    .filter((line) => line.includes("bin/turngate.js serve"));
  assert.deepEqual(traced.map(flagsOf), [started]);
});
