// The table of rooms in docs/architecture.md has a row for every folder of src/, and no row for a folder that is not there.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");

/** Rows that stand for all folders below them. */
const WHOLE = ["store/sqlite", "store/postgres", "cli"];

const document = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
const section = document.slice(document.indexOf("\n## Rooms"), document.indexOf("\n## The road of"));
const rows = [...section.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`([^`]+)\/`/g)].map(([, folder = ""]) => folder),
);
const folders = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => entry.parentPath.slice(join(ROOT, "src/").length))
  .filter((folder) => folder !== "");
const rooms = new Set(folders.map(roomOf));

test("every folder of src has its row", () => {
  assert.ok(rooms.size > 25, `only ${rooms.size} rooms were found`);
  assert.deepEqual(
    [...rooms].filter((room) => !rows.includes(room)),
    [],
  );
});

test("every row is a folder of src", () => {
  assert.deepEqual(
    rows.filter((row) => !rooms.has(row)),
    [],
  );
});

function roomOf(folder: string): string {
  const whole = WHOLE.find((place) => folder === place || folder.startsWith(`${place}/`));
  return whole ?? folder.replace(/^providers\/(?!(?:wire|recording)$).+/, "providers/<family>");
}
