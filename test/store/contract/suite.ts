// A suite's store: opened once, with the callers of the fixtures in it, and closed when the suite is done.
import { after, before, describe } from "node:test";
import type { Store } from "../../../src/ports/store.ts";
import { addCallers, type HandClock, type OpenedStore, type OpenStore } from "../fixtures.ts";

/** What the tests of a suite share; the store is there once the suite runs. */
export interface Suite {
  readonly store: Store;
  readonly clock: HandClock;
}

/** Describes a suite around one store. */
export function describeStore(name: string, open: OpenStore, define: (suite: Suite) => void): void {
  describe(name, () => {
    let opened: OpenedStore;
    before(async () => {
      opened = await open();
      await addCallers(opened.store);
    });
    after(() => opened.close());
    define({
      get store() {
        return opened.store;
      },
      get clock() {
        return opened.clock;
      },
    });
  });
}
