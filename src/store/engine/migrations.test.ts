// What a database's migrations and this version's say about each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstalledFolder } from "../../installation/folder.ts";
import { installation } from "../../installation/installation.ts";
import { checkApplied, readMigrations } from "./migrations.ts";

/** The last migrations of before there were marks. */
const UNMARKED = { postgres: 20, sqlite: 25 };

function folderOf(files: Readonly<Record<string, string>>): InstalledFolder {
  return {
    list: () => Object.keys(files),
    readText: (name: string) => files[name] ?? "",
  } as unknown as InstalledFolder;
}

test("a mark is read, and its words are outside the checksum", () => {
  const sql = "alter table a add column b text;\n";
  const [none, yes, no, windows] = readMigrations(
    folderOf({
      "0001-a.sql": sql,
      "0002-b.sql": `-- compatible: yes. A nullable column.\n${sql}`,
      "0003-c.sql": `-- compatible: no. The column was renamed.\n${sql}`,
      "0004-d.sql": `-- compatible: yes. A nullable column.\r\n${sql.replace("\n", "\r\n")}`,
    }),
  );
  assert.deepEqual(
    [none, yes, no, windows].map((migration) => migration?.compatible),
    [false, true, false, true],
  );
  assert.equal(new Set([none, yes, no, windows].map((migration) => migration?.checksum)).size, 1);
});

test("every migration since there are marks has one, with its reason", () => {
  for (const [engine, last] of Object.entries(UNMARKED)) {
    for (const { version, name, sql } of readMigrations(installation.migrations[engine as keyof typeof UNMARKED])) {
      if (version > last) assert.match(sql, /^-- compatible: (yes|no)\. [A-Z][^\n]*\.\r?\n/, `${engine} ${name}`);
    }
  }
});

test("later migrations are accepted when all of them are compatible", () => {
  const known = readMigrations(folderOf({ "0001-a.sql": "select 1" }));
  const later = (version: number, compatible: boolean) => ({ version, name: "later", checksum: "x", compatible });
  checkApplied("a", [...known, later(2, true), later(3, true)], known);
  for (const applied of [
    [later(2, false), later(3, true)],
    [later(2, true), later(3, false)],
  ])
    assert.throws(() => checkApplied("a", [...known, ...applied], known), /later version \(schema 3; .* knows 1\)/);
});
