// Database files for the tests of the embedded store: one for each store, removed afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Store } from "../../src/ports/store/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { OpenOptions } from "../../src/store/store-engine.ts";
import { createManualClock, type ManualClock, type OpenedStore } from "./fixtures.ts";
import { useBuiltThread } from "../support/store-thread.ts";

// As the service does: without the cache each thread of each store strips types itself.
enableCompileCache();

/** A new store in a file of its own. */
export async function openNew(): Promise<OpenedStore> {
  const { path, remove } = makePath();
  const clock = createManualClock();
  await useBuiltThread();
  const store = await openSqliteStore({ location: path, clock });
  return {
    store,
    clock,
    close: async () => {
      await store.close();
      remove();
    },
  };
}

/** A path for a database; its directory is removed after the test. */
export function pathFor(t: TestContext): string {
  const { path, remove } = makePath();
  t.after(remove);
  return path;
}

/** Opens a store until the end of the test. */
export async function openAt(t: TestContext, options: OpenOptions): Promise<Store> {
  await useBuiltThread();
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  return store;
}

/** A new store in a file of its own, for one test. */
export async function openFor(
  t: TestContext,
  over: Partial<OpenOptions> = {},
): Promise<{ store: Store; clock: ManualClock; path: string }> {
  const path = pathFor(t);
  const clock = createManualClock();
  return { store: await openAt(t, { location: path, clock, ...over }), clock, path };
}

function makePath(): { path: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), "turngate-store-"));
  return { path: join(directory, "test.db"), remove: () => rmSync(directory, { recursive: true, force: true }) };
}
