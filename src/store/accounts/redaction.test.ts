import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type AuditRecord, record } from "./audit.ts";
import { checkAudit } from "./audit-reads.ts";
import { redactEntries } from "./redaction.ts";
import { type Connection, openConnection } from "../sqlite/database/connection.ts";
import { migrate } from "../sqlite/database/migrate.ts";
import { runAtOnce } from "../engine/transaction.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-redaction-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const BY = { kind: "service", id: "tests" } as const;
let files = 0;

/** A log in which entries of a deleted organization, 1, 3, 4 and 6 with its deletion, alternate with those of another one. */
function open(): Connection {
  const path = join(folder, `${++files}.db`);
  const connection = openConnection({ path, instanceId: 1, idempotencyRetentionMs: 1, usageParts: 1 }, "write");
  migrate(connection, 1);
  const add = (organizationId: string, action: AuditRecord["action"], name?: string) =>
    runAtOnce(
      record(connection, {
        by: BY,
        atMs: 5,
        organizationId,
        action,
        target: null,
        ...(name === undefined ? {} : { after: { name } }),
      }),
    );
  add("org_a", "organization.create", "secret 1");
  add("org_b", "organization.create", "b");
  add("org_a", "organization.rename", "secret 3");
  add("org_a", "session.start");
  add("org_b", "organization.rename", "b2");
  add("org_a", "organization.delete");
  return connection;
}

const redact = (connection: Connection, limit = 100) =>
  runAtOnce(redactEntries(connection, { by: BY, organizationId: "org_a", nowMs: 9, limit }));
const brokenAt = (connection: Connection, limit = 100) => {
  let last = { id: 0, hash: "" };
  for (;;) {
    const step = runAtOnce(checkAudit.run(connection, { after: last, limit } as never, 0)) as {
      last: typeof last;
      brokenAt: number | null;
    };
    if (step.brokenAt !== null || step.last.id === last.id) return step.brokenAt;
    last = step.last;
  }
};
const valuesOf = ({ database }: Connection) =>
  database
    .prepare("select after from audit_log where organization_id = 'org_a' and redacted = 1")
    .all()
    .map((row) => row["after"]);

test("the values up to the deletion are gone, and the log verifies, at once and in pieces", () => {
  for (const limit of [1, 2, 100]) {
    const connection = open();
    let entries = 0;
    for (let piece = redact(connection, limit); piece > 0; piece = redact(connection, limit)) entries += piece;
    assert.equal(entries, 3);
    assert.deepEqual(valuesOf(connection), [null, null, null]);
    assert.equal(brokenAt(connection), null);
    assert.equal(brokenAt(connection, 1), null);
  }
});

test("no statement takes out more than values, or puts any back", () => {
  const connection = open();
  redact(connection);
  for (const change of [
    "set redacted = 1, before = null, after = null, actor_id = 'x'",
    "set redacted = 1, before = null, after = null, hash = 'x'",
    "set redacted = 1",
    "set redacted = 0",
    "set after = '{}'",
  ])
    assert.throws(() => connection.database.exec(`update audit_log ${change} where id in (1, 5)`), /append-only/);
});

const TAMPERING: readonly (readonly [what: string, sql: string, brokenAt: number])[] = [
  ["an actor of a redacted entry", "update audit_log set actor_id = 'x' where id = 3", 1],
  ["a time of a redacted entry", "update audit_log set at_ms = 6 where id = 4", 1],
  ["a hash of a redacted entry", "update audit_log set hash = 'x' where id = 3", 1],
  ["a value put into a redacted entry", "update audit_log set after = '{}' where id = 3", 3],
  ["a redacted entry taken out", "delete from audit_log where id = 4", 1],
  ["an entry redacted without a record", "update audit_log set redacted = 1, after = null where id = 5", 5],
  ["the record of the redaction", `update audit_log set after = '{"first_id":1}' where id = 7`, 1],
];

for (const [what, sql, at] of TAMPERING) {
  test(`tampering is found: ${what}`, () => {
    const connection = open();
    redact(connection);
    assert.equal(brokenAt(connection), null);
    connection.database.exec("drop trigger audit_log_never_changes; drop trigger audit_log_never_goes");
    connection.database.exec(sql);
    assert.equal(brokenAt(connection), at);
  });
}

test("an entry that was changed before its redaction stays broken", () => {
  const connection = open();
  connection.database.exec("drop trigger audit_log_never_changes");
  connection.database.exec("update audit_log set actor_id = 'x' where id = 3");
  redact(connection);
  assert.equal(brokenAt(connection), 1);
});
