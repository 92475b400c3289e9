// Steps of a test around the store's next calls, for races.
import type { Store } from "../../src/ports/store/store.ts";

type Begin = Store["beginTurn"];
type Settle = Store["settleTurn"];
type Withdraw = Store["withdrawTurn"];

export interface AroundStore {
  /** Runs once, before the next turn is read. */
  beforeRead: (() => Promise<void>) | null;
  /** Runs once, after the next turn, or its status, was read. */
  afterRead: (() => Promise<void>) | null;
  /** Replaces `beginTurn` while it is set; it is given the real one. */
  begin: ((real: Begin) => Begin) | null;
  /** Replaces `settleTurn` in the same way. */
  settle: ((real: Settle) => Settle) | null;
  /** Replaces `withdrawTurn` in the same way. */
  withdraw: ((real: Withdraw) => Withdraw) | null;
  readonly wrapStore: (store: Store) => Store;
}

export function aroundStore(): AroundStore {
  const around: AroundStore = {
    beforeRead: null,
    afterRead: null,
    begin: null,
    settle: null,
    withdraw: null,
    wrapStore: (store) => ({
      ...store,
      readStatus: (query) => withSteps(() => store.readStatus(query)),
      readShortTurn: (query) => withSteps(() => store.readShortTurn(query)),
      beginTurn: (begin) => (around.begin?.(store.beginTurn) ?? store.beginTurn)(begin),
      settleTurn: (settle) => (around.settle?.(store.settleTurn) ?? store.settleTurn)(settle),
      withdrawTurn: (query) => (around.withdraw?.(store.withdrawTurn) ?? store.withdrawTurn)(query),
    }),
  };
  async function withSteps<Read>(reading: () => Promise<Read>): Promise<Read> {
    const { beforeRead } = around;
    around.beforeRead = null;
    await beforeRead?.();
    const read = await reading();
    const { afterRead } = around;
    around.afterRead = null;
    await afterRead?.();
    return read;
  }
  return around;
}
