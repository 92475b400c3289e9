// An incompatible migration under the running service: it ends in order, with one line and status 1. A compatible one: it
// serves on. (docs/reliability.md, F-45)
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { commandLineForFile } from "./command-line.ts";
import { startService } from "./service-process.ts";

const line = commandLineForFile();

function pretendMigration(version: number, isCompatible: 0 | 1): void {
  const database = new DatabaseSync(join(line.folder, "data", "turngate.db"), { timeout: 5000 });
  try {
    database
      .prepare(
        "insert into schema_version (version, name, applied_at_ms, checksum, compatible) values (?, 'later', 1, 'x', ?)",
      )
      .run(version, isCompatible);
  } finally {
    database.close();
  }
}

test("a service that its database has left behind ends its turns and exits; its release starts no more", async () => {
  const first = await startService(line);
  pretendMigration(9000, 1);
  const headers = { authorization: `Bearer ${first.firstKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "simulated/echo", input: "Hello" });
  const create = () => fetch(`${first.baseUrl}/responses`, { method: "POST", headers, body });
  assert.equal((await create()).status, 200);
  first.child.kill("SIGTERM");
  assert.equal((await first.ended).code, 0);
  // The same release starts on a later schema that is compatible.
  const second = await startService(line);
  pretendMigration(9001, 0);
  const { code, stdout, stderr } = await second.ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^error: The schema belongs to a later version \(9001; this program knows \d+\): replace it\.\n$/m,
  );
  assert.doesNotMatch(stderr, / at /);
  assert.match(stdout, /"event":"store\.left_behind"/);
  assert.match(stdout, /"event":"service\.stopped"/);
  const third = await line.runProcess(["serve"], { PORT: "0" });
  assert.equal(third.code, 1);
  assert.match(third.stderr, /was written by a later version \(schema 9001;/);
});
