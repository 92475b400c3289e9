// Implements the store's port with the operations. An engine adds only how it runs one of them.
import type { Store } from "../ports/store/store.ts";
import { readablePages } from "./histories/readable-pages.ts";
import { EXPIRED_BATCH } from "./histories/upkeep.ts";
import { type ArgumentOf, OPERATIONS, type OperationName, type ResultOf } from "./operations.ts";

/**
 * Runs an operation by its name: encodes the argument, executes the operation in a transaction, decodes the result.
 * Rejects with a StoreError or an AccountError.
 */
export type RunOperation = <Name extends OperationName>(
  name: Name,
  argument: ArgumentOf<Name>,
) => Promise<ResultOf<Name>>;

/** All functions of the port but `close`. */
export function createPort(run: RunOperation): Omit<Store, "close"> {
  const names = Object.keys(OPERATIONS) as OperationName[];
  const calls = Object.fromEntries(
    names.map((name) => [name, (argument: ArgumentOf<typeof name>) => run(name, argument)]),
  ) as unknown as Pick<Store, OperationName>;
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
