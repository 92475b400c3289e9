// Database files for the tests of the embedded store: each its own, gone afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/store/sqlite/open.ts";
import { createHandClock, type OpenedStore } from "./fixtures.ts";

/** A path for a database in a directory of its own; `remove` takes the directory away. */
export function makePath(): { path: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), "turngate-store-"));
  return { path: join(directory, "test.db"), remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** A new store in a file of its own. */
export async function openNew(over: Partial<SqliteStoreOptions> = {}): Promise<OpenedStore & { path: string }> {
  const { path, remove } = makePath();
  const clock = createHandClock();
  const store = await openSqliteStore({ path, clock, ...over });
  return {
    store,
    clock,
    path,
    close: async () => {
      await store.close();
      remove();
    },
  };
}
