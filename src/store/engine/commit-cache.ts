// Caches rows that nearly every request reads, until the next commit.
import { MEMOIZED_MAX } from "./memoize.ts";
import type { Steps, Transaction } from "./transaction.ts";

let slots = 0;

/**
 * Creates a cache by key, which the engine clears after each commit. Misses are not cached. On an engine that does not
 * watch for commits, each call reads. Callers share the returned values and must not change them.
 */
export function cacheUntilCommit<Value>() {
  const slot = slots++;
  return function* (tx: Transaction, key: string, read: () => Steps<Value | undefined>): Steps<Value | undefined> {
    if (tx.commitCache === null) return yield* read();
    const values = (tx.commitCache[slot] ??= new Map()) as Map<string, Value>;
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = yield* read();
    if (value === undefined) return undefined;
    if (values.size >= MEMOIZED_MAX) values.clear();
    values.set(key, value);
    return value;
  };
}
