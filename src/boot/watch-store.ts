// Detects a store that can't be trusted any more, whichever call fails first. After a failed write to disk a later one
// may seem to succeed, and writes to removed files are lost: the process must exit, and the next start settles the
// responses that were running. And a schema that a later version has migrated: the process is replaced in order.
import { repeat } from "../flows/repeat.ts";
import type { Clock } from "../ports/clock.ts";
import { endsStore, LaterSchema, type Store, type StoreError } from "../ports/store/store.ts";

/** How often an idle service checks its store, milliseconds. */
const CHECK_EVERY_MS = 1000;

/**
 * The same store, which calls `lost` once when a call fails because the store is lost or gone, and `leftBehind` once
 * when one fails with a LaterSchema, unless it is being closed.
 */
export function watchStore(
  store: Store,
  on: { readonly lost: (error: StoreError) => void; readonly leftBehind: (error: LaterSchema) => void },
): Store {
  let isOver = false;
  let isLeftBehind = false;
  const watch =
    (name: string, call: (argument: unknown) => Promise<unknown>) =>
    async (argument: unknown): Promise<unknown> => {
      if (name === "close") isOver = true;
      try {
        return await call(argument);
      } catch (error) {
        if (!isOver && endsStore(error)) {
          isOver = true;
          on.lost(error);
        } else if (!isOver && !isLeftBehind && error instanceof LaterSchema) {
          isLeftBehind = true;
          on.leftBehind(error);
        }
        throw error;
      }
    };
  const watched = Object.entries(store).map(([name, call]) => [name, watch(name, call)]);
  return Object.fromEntries(watched) as Store;
}

/** Pings a watched store every second, also when it is idle. The result stops it and resolves when it has ended. */
export function keepChecking(store: Pick<Store, "ping">, clock: Pick<Clock, "after">): () => Promise<void> {
  // The watched store itself reports the error.
  const onError = (): void => {};
  return repeat(clock, { everyMs: CHECK_EVERY_MS, startsAtOnce: true, work: () => store.ping(), onError });
}
