// Collects what the calls of a shared transaction (group.ts) execute at the same time, and sends the executions of
// the same statement as one.
import type { Parameters, Query, Statement } from "../engine/transaction.ts";

interface Waiting {
  readonly query: Query;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a batch. `sendOne` and `sendMerged` send at once, in the order of their calls. */
export function createBatch(parts: {
  canMerge(statement: Statement): boolean;
  sendOne(query: Query): Promise<unknown> | undefined;
  sendMerged(statement: Statement, parameters: readonly Parameters[]): Promise<readonly unknown[]>;
}) {
  /** The statements of each member. They keep their order within a member, not between members. */
  let collected = new Map<number, Waiting[]>();
  let isScheduled = false;

  const sendAlone = ({ query, resolve, reject }: Waiting): void => {
    const reply = parts.sendOne(query);
    if (reply === undefined) resolve(undefined);
    else reply.then(resolve, reject);
  };
  const sendSame = (statement: Statement, same: readonly Waiting[]): void => {
    if (same.length === 1 || !parts.canMerge(statement)) return same.forEach(sendAlone);
    parts
      .sendMerged(
        statement,
        same.map(({ query }) => query.parameters),
      )
      .then(
        (results) => same.forEach(({ resolve }, index) => resolve(results[index])),
        (error: unknown) => same.forEach(({ reject }) => reject(error)),
      );
  };
  const flush = (): void => {
    isScheduled = false;
    const members = [...collected.values()];
    collected = new Map();
    for (let round = 0; members.some(({ length }) => length > round); round++) {
      const bySlot = new Map<number, Waiting[]>();
      for (const each of members) {
        const waiting = each[round];
        if (waiting === undefined) continue;
        const { slot } = waiting.query.statement;
        const same = bySlot.get(slot);
        if (same === undefined) bySlot.set(slot, [waiting]);
        else same.push(waiting);
      }
      for (const same of bySlot.values()) if (same[0] !== undefined) sendSame(same[0].query.statement, same);
    }
  };
  return {
    /** Sends what has been collected. What is executed later is sent behind it. */
    flush,
    /** Executes a statement of a member: a promise of its result, or undefined if nothing has to be waited for. */
    execute(member: number, query: Query): Promise<unknown> | undefined {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const own = collected.get(member);
      if (own === undefined) collected.set(member, [{ query, resolve, reject }]);
      else own.push({ query, resolve, reject });
      // Ticks run once all promises have: every member that could go on has done so.
      if (!isScheduled) process.nextTick(flush);
      isScheduled = true;
      const { kind } = query.statement;
      if (kind !== "write" && kind !== "lock") return promise;
      // Its error comes with the reply to a later statement, or to COMMIT.
      promise.catch(ignore);
      return undefined;
    },
  };
}

function ignore(): void {}
