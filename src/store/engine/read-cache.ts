// Caches what nearly every request reads. Callers share the values and must not change them.
import type { Steps, Transaction } from "./transaction.ts";

/** Entries of one kind; when there are as many, all of them are dropped. */
const ENTRIES_MAX = 1000;

function keep<Value>(values: Map<string, Value>, key: string, value: Value): Value {
  if (values.size >= ENTRIES_MAX) values.clear();
  values.set(key, value);
  return value;
}

/** Parses each of the few texts of a kind once. */
export function memoize<Value>(parse: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => values.get(text) ?? keep(values, text, parse(text));
}

let slots = 0;

/**
 * Creates a cache of rows by key, valid until the next commit: the engine clears it then. Misses are not cached. On an
 * engine that does not watch for commits, each call reads.
 */
export function cacheUntilCommit<Value>() {
  const slot = slots++;
  return function* (tx: Transaction, key: string, read: () => Steps<Value | undefined>): Steps<Value | undefined> {
    if (tx.commitCache === null) return yield* read();
    const values = (tx.commitCache[slot] ??= new Map()) as Map<string, Value>;
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = yield* read();
    return value === undefined ? undefined : keep(values, key, value);
  };
}
