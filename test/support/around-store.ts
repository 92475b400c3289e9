// Steps of a test around the store's next calls, for races.
import type { Store } from "../../src/ports/store/store.ts";

type Begin = Store["beginResponse"];
type Settle = Store["settleResponse"];
type Withdraw = Store["withdrawResponse"];

export interface AroundStore {
  /** Runs once, before the next response is read. */
  beforeRead: (() => Promise<void>) | null;
  /** Runs once, after the next response, or its status, was read. */
  afterRead: (() => Promise<void>) | null;
  /** Replaces `beginResponse` while it is set; it is given the real one. */
  begin: ((real: Begin) => Begin) | null;
  /** Replaces `settleResponse` in the same way. */
  settle: ((real: Settle) => Settle) | null;
  /** Replaces `withdrawResponse` in the same way. */
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
      readShortResponse: (query) => withSteps(() => store.readShortResponse(query)),
      beginResponse: (begin) => (around.begin?.(store.beginResponse) ?? store.beginResponse)(begin),
      settleResponse: (settle) => (around.settle?.(store.settleResponse) ?? store.settleResponse)(settle),
      withdrawResponse: (query) => (around.withdraw?.(store.withdrawResponse) ?? store.withdrawResponse)(query),
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
