// Implements the store's port with the operations. An engine adds only how it runs one of them.
import type { Store } from "../ports/store/store.ts";
import { callsOf, type Run } from "./engine/run.ts";
import { readablePages } from "./histories/readable-pages.ts";
import { EXPIRED_BATCH } from "./histories/upkeep.ts";
import type { OperationName, Operations } from "./operations.ts";

/** All functions of the port but `close`. */
export function createPort(run: Run<OperationName>, operations: Operations): Omit<Store, "close"> {
  const calls = callsOf<Omit<Store, "close">>(operations, run);
  return {
    ...calls,
    listItems: readablePages(calls.listItems),
    forgetExpired: async (query) => {
      const forgotten = { claims: 0, secrets: 0, events: 0, rejections: 0 };
      for (;;) {
        const { claims, secrets, events, rejections } = await calls.forgetExpired(query);
        forgotten.claims += claims;
        forgotten.secrets += secrets;
        forgotten.events += events;
        forgotten.rejections += rejections;
        if (Math.max(claims, secrets, events, rejections) < EXPIRED_BATCH) return forgotten;
      }
    },
  };
}
