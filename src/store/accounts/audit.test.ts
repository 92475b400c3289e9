import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { AuditEntry, AuditProgress } from "../../ports/store/audit.ts";
import { type AuditRecord, record } from "./audit.ts";
import { checkAudit, listAudit } from "./audit-reads.ts";
import { type Connection, openConnection } from "../sqlite/database/connection.ts";
import { runAtOnce } from "../engine/transaction.ts";
import { migrate } from "../sqlite/database/migrate.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-audit-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function open(): Connection {
  const path = join(folder, `${++files}.db`);
  const connection = openConnection({ path, instanceId: 1, idempotencyRetentionMs: 1, usageParts: 1 }, "write");
  migrate(connection, 1);
  return connection;
}

function change(over: Partial<AuditRecord> = {}): AuditRecord {
  return {
    by: { kind: "cli", id: "root" },
    atMs: 5,
    organizationId: "org_a",
    action: "plan.start",
    target: null,
    before: { plan: false },
    after: { plan: true },
    ...over,
  };
}

function list(connection: Connection, organizationId: string | null = null, before: number | null = null, limit = 100) {
  const rows = runAtOnce(listAudit.run(connection, { organizationId, before, limit } as never, 0));
  return listAudit.decode(rows as never, { organizationId, before, limit });
}

function check(connection: Connection, from: AuditProgress = { id: 0, hash: "" }, limit = 100) {
  return runAtOnce(checkAudit.run(connection, { after: from, limit } as never, 0)) as {
    last: AuditProgress;
    brokenAt: number | null;
    hashes: readonly string[];
  };
}

test("a change is one row with actor, action and the changed values", () => {
  const connection = open();
  runAtOnce(record(connection, change({ before: { plan: false, name: "a" }, after: { plan: true, name: "a" } })));
  const [entry, ...others] = list(connection);
  assert.equal(others.length, 0);
  assert.match(entry?.hash ?? "", /^[0-9a-f]{64}$/);
  assert.deepEqual(
    { ...entry, hash: "" },
    {
      id: 1,
      organizationId: "org_a",
      atMs: 5,
      by: { kind: "cli", id: "root" },
      actorName: null,
      action: "plan.start",
      target: null,
      before: { plan: false },
      after: { plan: true },
      isRedacted: false,
      hash: "",
    },
  );
});

test("a change without a difference leaves no row", () => {
  const connection = open();
  runAtOnce(record(connection, change({ before: { plan: true }, after: { plan: true } })));
  assert.equal(list(connection).length, 0);
  const { before: _before, after: _after, ...bare } = change();
  runAtOnce(record(connection, { ...bare, action: "session.end", target: "ses_1" }));
  assert.equal(list(connection).length, 1, "an act without values is one");
});

test("entries are listed newest first, by organization and page", () => {
  const connection = open();
  for (const organizationId of ["org_a", "org_b", "org_a", null])
    runAtOnce(record(connection, change({ organizationId })));
  const ids = (entries: readonly AuditEntry[]) => entries.map(({ id }) => id);
  assert.deepEqual(ids(list(connection)), [4, 3, 2, 1]);
  assert.deepEqual(ids(list(connection, "org_a")), [3, 1]);
  assert.deepEqual(ids(list(connection, "org_a", 3)), [1]);
  assert.deepEqual(ids(list(connection, null, null, 2)), [4, 3]);
});

test("statements cannot change or delete rows of the log", () => {
  const connection = open();
  runAtOnce(record(connection, change()));
  assert.throws(() => connection.database.exec("update audit_log set actor_id = 'x'"), /append-only/);
  assert.throws(() => connection.database.exec("delete from audit_log"), /append-only/);
});

test("a chain can be checked at once and in parts", () => {
  const connection = open();
  assert.deepEqual(check(connection), { last: { id: 0, hash: "" }, brokenAt: null, hashes: [] });
  for (let index = 0; index < 5; index++) runAtOnce(record(connection, change({ atMs: index })));
  const whole = check(connection);
  assert.equal(whole.last.id, 5);
  assert.equal(whole.hashes.length, 5);
  const first = check(connection, undefined, 2);
  assert.equal(first.last.id, 2);
  assert.deepEqual(check(connection, first.last).last, whole.last);
});

const TAMPERING: readonly (readonly [string, string])[] = [
  ["an actor", "update audit_log set actor_id = 'nobody' where id = 3"],
  ["an action", "update audit_log set action = 'plan.stop' where id = 3"],
  ["an organization", "update audit_log set organization_id = 'org_b' where id = 3"],
  ["a target", "update audit_log set target = 'key_1' where id = 3"],
  ["a value before", "update audit_log set before = null where id = 3"],
  ["a value after", "update audit_log set after = '{}' where id = 3"],
  ["a time", "update audit_log set at_ms = 9 where id = 3"],
  ["a hash", "update audit_log set hash = 'x' where id = 3"],
  ["a row taken out", "delete from audit_log where id = 3"],
  [
    "rows taken out and renumbered",
    "delete from audit_log where id = 3; update audit_log set id = id - 1 where id > 3",
  ],
];

for (const [what, sql] of TAMPERING) {
  test(`tampering is found: ${what}`, () => {
    const connection = open();
    for (let index = 0; index < 5; index++) runAtOnce(record(connection, change({ atMs: index })));
    connection.database.exec("drop trigger audit_log_never_changes; drop trigger audit_log_never_goes");
    connection.database.exec(sql);
    assert.equal(check(connection).brokenAt, 3);
  });
}
