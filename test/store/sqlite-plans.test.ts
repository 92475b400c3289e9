// How SQLite runs the store's statements: by index, whatever a table's length.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { OPERATIONS } from "../../src/store/sqlite/operations.ts";
import { definedStatements } from "../../src/store/sqlite/database/statement.ts";
import { openFor } from "./sqlite-files.ts";

/** What is read whole: a short table, a list that is asked for, an index of the few that run, a table's last row. */
const READ_WHOLE = [
  /^SCAN schema_version/,
  /^SCAN audit_log in \s*select id, hash\s+from audit_log\s+order by id desc\s+limit 1$/,
  /^SCAN admin_tokens in \s*select (?![\s\S]*where)/,
  /^SCAN o USING INDEX sqlite_autoindex_organizations_1/,
  /^SCAN responses USING INDEX responses_running/,
];

test("no statement reads a table from end to end", async (t) => {
  const { path } = await openFor(t);
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  // Each operation's module has defined its statements by now.
  const statements = definedStatements();
  assert.ok(statements.length > Object.keys(OPERATIONS).length);
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
