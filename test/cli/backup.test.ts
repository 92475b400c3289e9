// `turngate backup` and `turngate restore` on a real data folder, beside a running service.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { createManualClock } from "../store/fixtures.ts";
import { openCommandLine } from "./command-line.ts";

interface Copied {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly schema_version: number;
  readonly rows: Readonly<Record<string, number>>;
}

const line = openCommandLine();
const at = (...parts: string[]) => join(line.folder, ...parts);
const FRESH = { DATABASE_URL: "sqlite:./fresh/turngate.db" };

before(async () => {
  await line.json("orgs", "create", "--name", "Acme", "--credits", "5");
});
after(() => line.remove());

test("a backup is made beside a service, restored elsewhere, and served with its secret", async () => {
  const running = await openSqliteStore({
    location: at("data/turngate.db"),
    clock: createManualClock(),
    exclusive: true,
  });
  const saved = await line.json<Copied>("backup", "one.db").finally(() => running.close());
  assert.deepEqual([saved.from, saved.to, saved.rows["organizations"]], ["./data/turngate.db", "one.db", 1]);
  assert.equal(statSync(at("one.db")).size, saved.bytes);
  assert.match(saved.sha256 ?? "", /^[0-9a-f]{64}$/);

  const restored = await line.run(["restore", "one.db"], FRESH);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /^Restored \d+ rows \(\d+ bytes, schema \d+\) to \.\/fresh\/turngate\.db\. /);
  assert.match(restored.stdout, /^Restore fresh\/secret too: /m);
  assert.doesNotMatch(restored.stdout, /sha256/);
  const without = await line.run(["orgs", "list"], FRESH);
  assert.match(without.stderr, /its root secret fresh\/secret does not/);
  copyFileSync(at("data/secret"), at("fresh/secret"));
  const { code, stdout } = await line.run(["orgs", "list", "--json"], FRESH);
  assert.deepEqual([code, JSON.parse(stdout).data[0].name], [0, "Acme"]);
});

test("a backup says what to keep with it, and replaces nothing", async () => {
  const first = await line.run(["backup", "two.db"]);
  assert.match(
    first.stdout,
    /^Backed up \d+ rows \(\d+ bytes, schema \d+\) to two\.db\. [^\n]*\nKeep data\/secret with it: /,
  );
  rmSync(at("two.db.sha256"));
  const unknown = await line.run(["restore", "two.db"], { DATABASE_URL: "sqlite:./unknown/turngate.db" });
  assert.match(unknown.stdout, /^two\.db\.sha256 is missing, so nothing shows that the backup was not changed\.$/m);
  const again = await line.run(["backup", "two.db"]);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /^error: \S*two\.db exists already and is left as it is; choose another name[^\n]*\n$/);
  const nowhere = await line.run(["backup", "no/such/folder/x.db"]);
  assert.match(nowhere.stderr, /^error: \S*x\.db can't be written: ENOENT[^\n]*\n$/);
});

test("a backup that cannot be read is named", async () => {
  mkdirSync(at("folder"), { recursive: true });
  const restored = await line.run(["restore", "folder"], { DATABASE_URL: "sqlite:./unread/turngate.db" });
  assert.equal(restored.code, 1);
  assert.match(restored.stderr, /^error: \S*folder cannot be read: [^\n]*\.\n$/);
});

test("a restore into a folder that can't be created says so", async () => {
  await line.run(["backup", "nowhere.db"]);
  const { code, stderr } = await line.run(["restore", "nowhere.db"], {
    DATABASE_URL: "sqlite:/proc/turngate/data/turngate.db",
  });
  assert.equal(code, 1);
  assert.match(stderr, /^error: [^\n]*mkdir '\/proc\/turngate'\n$/);
});

test("a restore over a database, or for another root secret, changes nothing", async () => {
  await line.run(["backup", "three.db"]);
  const over = await line.run(["restore", "three.db"]);
  assert.match(over.stderr, /^error: \S*turngate\.db exists already and is left as it is; move it away first\.\n$/);
  const target = { DATABASE_URL: "sqlite:./other/turngate.db" };
  const secret = "another root secret of at least 32 characters";
  const foreign = await line.run(["restore", "three.db"], { ...target, TURNGATE_SECRET: secret });
  assert.match(foreign.stderr, /^error: TURNGATE_SECRET is not the root secret [^\n]*three\.db[^\n]*\n$/);
  mkdirSync(at("other"), { recursive: true });
  writeFileSync(at("other/secret"), secret);
  const beside = await line.run(["restore", "three.db"], target);
  assert.match(beside.stderr, /^error: other\/secret is not the root secret /);
  assert.doesNotMatch(beside.stderr + foreign.stderr, /another root secret of/);
  assert.deepEqual(readdirSync(at("other")), ["secret", "turngate.db.lock"]);
  rmSync(at("other/secret"));
  assert.equal((await line.run(["restore", "three.db"], target)).code, 0);
});

test("PostgreSQL is backed up with its own tools", async () => {
  const variables = { DATABASE_URL: "postgres://u:geheim@db.internal/turngate" };
  for (const words of [
    ["backup", "pg.db"],
    ["restore", "one.db"],
  ]) {
    const { code, stdout, stderr } = await line.run(words, variables);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^error: postgres:\/\/[^\n]* pg_dump [^\n]*docs\/nodes\.md#backup-failover-upgrades\)\.\n$/);
    assert.doesNotMatch(stderr, /geheim/);
  }
  assert.equal(existsSync(at("pg.db")), false);
});
