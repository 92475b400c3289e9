// Notices a store that can't be trusted any more, whoever was told of it first. After a failed write to disk a later one may
// seem to succeed: the process has to end, and the next start settles what was running.
import { type Store, StoreError } from "../ports/store.ts";

/** The same store; `onLost` is called once, when a call fails because the store is lost, but not while it is being closed. */
export function watchStore(store: Store, onLost: (error: StoreError) => void): Store {
  let isOver = false;
  const watch =
    (name: string, call: (argument: unknown) => Promise<unknown>) =>
    async (argument: unknown): Promise<unknown> => {
      if (name === "close") isOver = true;
      try {
        return await call(argument);
      } catch (error) {
        if (!isOver && error instanceof StoreError && error.kind === "lost") {
          isOver = true;
          onLost(error);
        }
        throw error;
      }
    };
  const watched = Object.entries(store).map(([name, call]) => [name, watch(name, call)]);
  return Object.fromEntries(watched) as Store;
}
