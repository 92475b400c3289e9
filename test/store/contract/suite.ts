// A suite's store: opened once, with the callers of the fixtures, and closed after the suite.
import { after, before, describe } from "node:test";
import type { Store } from "../../../src/ports/store/store.ts";
import { addCallers, type ManualClock, type OpenedStore, type OpenStore } from "../fixtures.ts";

/** Shared by the tests of a suite; the store is open while the suite runs. */
export interface Suite {
  readonly store: Store;
  readonly clock: ManualClock;
}

/** A suite around one store, for the stores of any engine. */
export function describeStore(
  name: string,
  define: (suite: Suite, open: OpenStore) => void,
): (open: OpenStore) => void {
  return (open) => {
    describe(name, () => {
      let opened: OpenedStore;
      before(async () => {
        opened = await open();
        await addCallers(opened.store);
      });
      after(() => opened.close());
      const suite = {
        get store() {
          return opened.store;
        },
        get clock() {
          return opened.clock;
        },
      };
      define(suite, open);
    });
  };
}
