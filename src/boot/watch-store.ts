// Detects a store that can't be trusted any more, whichever call fails first. After a failed write to disk a later one
// may seem to succeed, and writes to removed files are lost: the process must exit, and the next start settles the
// responses that were running.
import { repeat } from "../flows/repeat.ts";
import type { Clock } from "../ports/clock.ts";
import { endsStore, type Store, type StoreError } from "../ports/store/store.ts";

/** How often an idle service checks its store, milliseconds. */
const CHECK_EVERY_MS = 1000;

/**
 * The same store, which calls `onLost` once when a call fails because the store is lost or gone, unless it is being
 * closed.
 */
export function watchStore(store: Store, onLost: (error: StoreError) => void): Store {
  let isOver = false;
  const watch =
    (name: string, call: (argument: unknown) => Promise<unknown>) =>
    async (argument: unknown): Promise<unknown> => {
      if (name === "close") isOver = true;
      try {
        return await call(argument);
      } catch (error) {
        if (!isOver && endsStore(error)) {
          isOver = true;
          onLost(error);
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
