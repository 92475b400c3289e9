// Files of earlier versions: what a migration that moves rows to a new table leaves of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listMigrations } from "../../src/store/sqlite/database/migrate.ts";
import { createManualClock } from "./fixtures.ts";
import { openAt, pathFor } from "./sqlite-files.ts";
import { withDatabase } from "./raw-database.ts";
import { TESTS } from "../support/actor.ts";

const LIFETIME = { idleMs: 1e9, absoluteMs: 1e9 };

test("the audit log and the sessions of schema 8 are there after a start, the chain intact", async (t) => {
  const clock = createManualClock();
  // The chain's hashes are the store's own: a new file writes them, and they move to the old one.
  const newer = pathFor(t);
  const store = await openAt(t, { location: newer, clock });
  await store.createOrganization({ by: TESTS, id: "org_a", name: "a", createdAt: 1 });
  const member = { id: "mem_a", organizationId: "org_a", email: "ada@acme.test", role: "owner" } as const;
  await store.addMember({ by: TESTS, ...member, createdAt: 1 });
  await store.close();
  const older = pathFor(t);
  withDatabase(older, (database) => {
    database.exec(
      "create table schema_version (version integer primary key, name text not null, applied_at_ms integer not null, checksum text) strict",
    );
    for (const { version, name, sql, checksum } of listMigrations().filter((migration) => migration.version <= 8)) {
      database.exec(sql);
      database.prepare("insert into schema_version values (?, ?, 0, ?)").run(version, name, checksum);
    }
    database.prepare("attach ? as newer").run(newer);
    for (const table of ["organizations", "members", "balances", "audit_log"]) {
      const columns = database.prepare("select name from pragma_table_info(?, 'main')").all(table);
      const names = columns.map(({ name }) => String(name)).join(", ");
      database.exec(`insert into main.${table} (${names}) select ${names} from newer.${table}`);
    }
    database
      .prepare("insert into sessions (id, member_id, hash, started_at_ms, used_at_ms) values (?, ?, ?, ?, ?)")
      .run("ses_a", member.id, "h_session", clock.nowMs(), clock.nowMs());
  });
  const opened = await openAt(t, { location: older, clock });
  const progress = { id: 0, hash: "" };
  const { last, brokenAt } = await opened.checkAudit({ after: progress, limit: 100 });
  assert.deepEqual([last.id, brokenAt], [2, null]);
  const found = await opened.findSession({ hash: "h_session", lifetime: LIFETIME });
  assert.deepEqual(found?.person, { kind: "member", member });
  const [listed] = await opened.listSessions({ memberId: member.id, lifetime: LIFETIME });
  assert.deepEqual([listed?.address, listed?.userAgent], [null, null]);
  await opened.endSessions({ by: { kind: "operator", id: "Ada" }, ids: ["ses_a"] });
  assert.equal((await opened.checkAudit({ after: progress, limit: 100 })).last.id, 3);
  await opened.close();
  for (const change of ["update audit_log set actor_id = 'x'", "delete from audit_log"]) {
    assert.throws(() => withDatabase(older, (database) => database.exec(change)), /append-only/);
  }
});
