// A store that a service has opened and does not use yet: its database is out of reach, or the service has not joined the
// other nodes.
import { type Store, StoreError } from "../ports/store/store.ts";

export interface HeldStore {
  readonly store: Store;
  /** Lets calls through from now on. */
  release(): void;
}

/** The same store, whose calls reject (`unavailable`) until it is released. It can be closed meanwhile. */
export function holdStore(store: Store): HeldStore {
  let isHeld = true;
  const hold =
    (name: string, call: (argument: unknown) => Promise<unknown>) =>
    async (argument: unknown): Promise<unknown> => {
      if (isHeld && name !== "close") throw new StoreError("unavailable", "The service waits for its database.");
      return call(argument);
    };
  const held = Object.entries(store).map(([name, call]) => [name, hold(name, call)]);
  return {
    store: Object.fromEntries(held) as Store,
    release() {
      isHeld = false;
    },
  };
}
