// Steps of a test around the store's next calls, for races.
import type { Store } from "../../src/ports/store/store.ts";

type Begin = Store["beginTurn"];
type Withdraw = Store["withdrawTurn"];

export interface AroundStore {
  /** Runs once, before the next turn is read. */
  beforeRead: (() => Promise<void>) | null;
  /** Runs once, after the next turn was read. */
  afterRead: (() => Promise<void>) | null;
  /** Replaces `beginTurn` while it is set; it is given the real one. */
  begin: ((real: Begin) => Begin) | null;
  /** Replaces `withdrawTurn` in the same way. */
  withdraw: ((real: Withdraw) => Withdraw) | null;
  readonly wrapStore: (store: Store) => Store;
}

export function aroundStore(): AroundStore {
  const around: AroundStore = {
    beforeRead: null,
    afterRead: null,
    begin: null,
    withdraw: null,
    wrapStore: (store) => ({
      ...store,
      async readTurn(query) {
        const { beforeRead } = around;
        around.beforeRead = null;
        await beforeRead?.();
        const turn = await store.readTurn(query);
        const { afterRead } = around;
        around.afterRead = null;
        await afterRead?.();
        return turn;
      },
      beginTurn: (begin) => (around.begin?.(store.beginTurn) ?? store.beginTurn)(begin),
      withdrawTurn: (query) => (around.withdraw?.(store.withdrawTurn) ?? store.withdrawTurn)(query),
    }),
  };
  return around;
}
