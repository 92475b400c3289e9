// The query plans of the store's statements: by index, whatever a table's length.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { PROCEDURES } from "../../src/store/procedures.ts";
import { definedStatements } from "../../src/store/engine/statement.ts";
import { toPositional } from "../../src/store/sqlite/database/connection.ts";
import { openFor } from "./sqlite-files.ts";

/**
 * Allowed scans: a short table, a list of everything, an index of the few running rows or of those to erase, a table's
 * last row or any row.
 */
const READ_WHOLE = [
  /^SCAN schema_version/,
  /^SCAN audit_log in \s*select id, hash\s+from audit_log\s+order by id desc\s+limit 1$/,
  /^SCAN ledger_transfers in \s*select id\s+from ledger_transfers\s+order by id desc\s+limit 1$/,
  /^SCAN admin_tokens USING INDEX admin_tokens_in_order in \s*select (?![\s\S]*where)/,
  // Two counts by index.
  /^SCAN CONSTANT ROW in \s*select \(select count\(\*\) from admin_tokens where/,
  // The rotation of the root secret.
  /^SCAN \w+ in \s*update (key_secrets|admin_tokens) set root = \? where root is null$/,
  /^SCAN \w+ in \s*delete from (sessions|sign_in_links|operator_links)$/,
  /^SCAN (CONSTANT ROW|s|[kt] USING INDEX \w+) in [\s\S]*(key_secrets s|admin_tokens t)\s[\s\S]*where [st]\.root <>/,
  /^SCAN o USING INDEX sqlite_autoindex_organizations_1/,
  /^SCAN o in [\s\S]*from organizations o\s+join balances b on [^\n]+\s+where o\.deleted_at_ms is (not )?null\s+order by/,
  /^SCAN organizations USING COVERING INDEX \w+ in select id from organizations limit 1$/,
  /^SCAN responses USING INDEX responses_running/,
  /^SCAN threads USING INDEX threads_expired/,
  // The usage of all organizations, one after the other.
  /^SCAN o (USING (COVERING )?INDEX sqlite_autoindex_organizations_1 )?in [\s\S]*cross join usage_by_hour u/,
  // Failures of all organizations, one after the other.
  /^SCAN o (USING COVERING INDEX sqlite_autoindex_organizations_1 )?in [\s\S]*cross join failures_by_hour f/,
  // The hours of a day, and their usage, which indexes have found.
  /^SCAN (CONSTANT ROW|hours|h|labelled|parts|u) in \s*with recursive hours/,
  // The newest events, which are limited.
  /^SCAN newest in [\s\S]*limit \+\?\) newest\s+group by/,
  // The newest responses of a key, which are limited.
  /^SCAN (last|newest|\(subquery-\d+\)) in [\s\S]*limit \+\?\) last\) newest\s+join threads t/,
  // Responses that are searched for a request id, which are limited.
  /^SCAN (newest|r) in [\s\S]*limit \+\?\) (newest|r)\s[\s\S]*request_id = \?/,
  // The rounds of a turn, which indexes have found.
  /^SCAN (round|\(subquery-\d+\)) in [\s\S]*deleted_at_ms is null\) live\) round/,
  // The sums and items that indexes have found.
  /^SCAN deleted in [\s\S]*deleted_at_ms is not null\) deleted$/,
  // An id that an operator looks for is looked for in one organization after the other.
  /^SCAN (o USING COVERING INDEX sqlite_autoindex_organizations_1|near) in [\s\S]*from organizations o\s+where exists \(/,
  // The page of a window, which is limited.
  /^SCAN (sized|w|\(subquery-\d+\)) in [\s\S]*limit \+\?\) sized\) w/,
];

/** All statements that SQLite executes, as it prepares them. Importing the procedures has defined them. */
function texts(): string[] {
  assert.ok(Object.keys(PROCEDURES).length > 40);
  return definedStatements().flatMap(({ kind, sql }) => (kind === "lock" ? [] : [toPositional(sql).text]));
}

test("no statement scans a whole table", async (t) => {
  const { path } = await openFor(t);
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  const statements = texts();
  assert.ok(statements.length > Object.keys(PROCEDURES).length);
  const scans: string[] = [];
  for (const sql of statements) {
    for (const row of database
      .prepare(`explain query plan ${sql}`)
      .all(...Array.from(sql.matchAll(/\?/g), () => null))) {
      const step = String(row["detail"]);
      if (step.startsWith("SCAN") && !READ_WHOLE.some((allowed) => allowed.test(`${step} in ${sql}`)))
        scans.push(`${step} in ${sql}`);
    }
  }
  assert.deepEqual(scans, []);
});

test("a call's outputs are found by index, however long the thread and however often its call_id is used", async (t) => {
  const { path } = await openFor(t);
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  const steps = texts()
    .filter((sql) => sql.includes("output.kind = 'function_call_output'"))
    .flatMap((sql) => database.prepare(`explain query plan ${sql}`).all(...Array.from(sql.matchAll(/\?/g), () => null)))
    .map((row) => String(row["detail"]))
    .filter((step) => /^SEARCH (output|latest) USING INDEX items_/.test(step));
  assert.ok(steps.length >= 3);
  for (const step of steps)
    assert.match(step, /USING INDEX items_by_call \(thread_id=\? AND call_id=\? AND position>\?/);
});

test("the log of turns is read in the order of an index; the running responses are not searched in all of an organization's", async (t) => {
  const { path } = await openFor(t);
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  const plansOf = (part: string) =>
    texts()
      .filter((sql) => sql.includes(part))
      .map((sql) =>
        database
          .prepare(`explain query plan ${sql}`)
          .all(...Array.from(sql.matchAll(/\?/g), () => null))
          .map((row) => String(row["detail"])),
      );
  const pages = plansOf("order by r.created_at");
  assert.ok(pages.length >= 24);
  const sorted = pages.filter((steps) => steps.some((step) => step.includes("TEMP B-TREE")));
  // A conversation's responses are few enough to be sorted, and so are the conversations of a page.
  assert.equal(sorted.length, 5);
  const few = /responses_by_thread \(thread_id=\?\)|responses_by_key \(key_id=\? AND created_at<\?\)/;
  assert.ok(sorted.every((steps) => steps.some((step) => few.test(step))));
  const running = plansOf("cast(held_nano as text) as heldNano\n    from responses").filter(
    ([step]) => !step?.includes("public_id"),
  );
  assert.deepEqual(running, [["SCAN responses USING INDEX responses_running"]]);
});

test("writing a response's rows builds no temporary table", async (t) => {
  const { path } = await openFor(t);
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  const writes = texts().filter((sql) =>
    /^\s*(insert into (responses|items|threads|ledger_transfers) [^]*values|update (responses|threads)\s[^]*where id = \?$)/.test(
      sql,
    ),
  );
  assert.ok(writes.length >= 10);
  const building = writes.filter((sql) =>
    database
      .prepare(`explain ${sql}`)
      .all(...Array.from(sql.matchAll(/\?/g), () => null))
      .some(({ opcode }) => opcode === "OpenEphemeral"),
  );
  assert.deepEqual(building, []);
});

test("the transfers of a response and the responses that did not complete are found by the short indexes", async (t) => {
  const { path } = await openFor(t);
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  const indexOf = (part: string) => {
    const plans = texts()
      .filter((sql) => sql.includes(part))
      .map((sql) => database.prepare(`explain query plan ${sql}`).all(...Array.from(sql.matchAll(/\?/g), () => null)));
    assert.ok(plans.length > 0);
    return plans.map((steps) => steps.map(({ detail }) => String(detail)).join("\n"));
  };
  for (const plan of indexOf("kind = 'release'"))
    assert.match(plan, /USING INDEX ledger_transfers_between \(response_id=\?\)/);
  for (const plan of indexOf("r.status = 'incomplete'"))
    assert.match(plan, /USING (COVERING )?INDEX responses_unsuccessful/);
});
