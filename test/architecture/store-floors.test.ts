// The floors of the store: each stands on those below it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "./modules.ts";

const modules = readProgram();

/** The floors of the store and of its engines, lowest first: each stands on those before it; rooms of one floor know each other. */
const STORE_FLOORS = [
  ["engine"],
  ["events"],
  ["accounts", "histories", "money"],
  ["procedures.ts"],
  ["port.ts"],
  ["store-engine.ts"],
  ["sqlite", "postgres"],
  ["engines.ts"],
];
const SQLITE_FLOORS = [["database"], ["workers"], ["open.ts", "copy-source.ts", "backup.ts"], ["engine.ts"]];
const POSTGRES_FLOORS = [
  ["database"],
  ["batch.ts", "group.ts", "sender.ts"],
  ["point-reads.ts"],
  ["transactions.ts", "nodes.ts", "quotas.ts", "sign-in-attempts.ts"],
  ["open.ts", "copy-target.ts"],
  ["engine.ts"],
];

test("no floor of the store imports one above it", () => {
  assert.deepEqual(findUpwards("store/", STORE_FLOORS), []);
  assert.deepEqual(findUpwards("store/sqlite/", SQLITE_FLOORS), []);
  assert.deepEqual(findUpwards("store/postgres/", POSTGRES_FLOORS), []);
});

/** Imports from a floor to one above it, and modules that stand on none. */
function findUpwards(folder: string, floors: readonly (readonly string[])[]): string[] {
  const floorOf = (path: string) => {
    const [room = ""] = path.slice(folder.length).split("/");
    return floors.findIndex((rooms) => rooms.includes(room));
  };
  const within = modules.filter(({ path }) => path.startsWith(folder));
  assert.ok(within.length > 8);
  const strays = within.filter(({ path }) => floorOf(path) < 0).map(({ path }) => path);
  const upwards = within.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target?.startsWith(folder) && floorOf(target) > floorOf(path))
      .map(({ target }) => `${path} → ${target}`),
  );
  return [...strays, ...upwards];
}
