// Concurrent turns share transactions: the statements of their calls are sent together, and one commit is flushed
// to disk for all of them. A call that finds none waiting has a transaction of its own.
import { StoreError } from "../../ports/store/store.ts";
import { describeParameters } from "../engine/statement.ts";
import type { Query } from "../engine/transaction.ts";
import type { createBatch } from "./batch.ts";

/** The most calls in one transaction. */
const MEMBERS_MAX = 64;
/** The most shared transactions at a time; what arrives meanwhile joins the next one. */
const GROUPS_MAX = 2;

/**
 * Creates the function that runs a call in a transaction with others. `runTogether` resolves to null when nothing
 * was changed and each call has to run by itself; it rejects when that would not help. A call that has
 * waited `waitMaxMs` for its turn is rejected as `unavailable`.
 */
export function createGroups<Call>(
  runTogether: (calls: readonly Call[]) => Promise<readonly unknown[] | null>,
  runAlone: (call: Call) => Promise<unknown>,
  waitMaxMs: number,
): (call: Call) => Promise<unknown> {
  let waiting: {
    readonly call: Call;
    readonly sinceMs: number;
    readonly resolve: (result: unknown) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  let open = 0;
  let expiry: NodeJS.Timeout | null = null;
  let isScheduled = false;

  const runNext = async (): Promise<void> => {
    const members = waiting.splice(0, MEMBERS_MAX);
    const [first] = members;
    if (first === undefined) return;
    if (members.length === 1) {
      await runAlone(first.call).then(first.resolve, first.reject);
      return;
    }
    try {
      const results = await runTogether(members.map(({ call }) => call));
      for (const [index, { call, resolve, reject }] of members.entries()) {
        if (results === null) void runAlone(call).then(resolve, reject);
        else resolve(results[index]);
      }
    } catch (error) {
      for (const { reject } of members) reject(error);
    }
  };
  const start = (): void => {
    isScheduled = false;
    while (open < GROUPS_MAX && waiting.length > 0) {
      open++;
      void runNext().finally(() => {
        open--;
        start();
      });
    }
  };
  /** Rejects those that have waited too long: a slow database is an error and not a queue. */
  const expire = (): void => {
    expiry = null;
    const nowMs = performance.now();
    const isLate = ({ sinceMs }: { readonly sinceMs: number }) => nowMs - sinceMs >= waitMaxMs;
    const late = waiting.filter(isLate);
    waiting = waiting.filter((each) => !isLate(each));
    for (const { reject } of late) {
      reject(new StoreError("unavailable", `PostgreSQL did not take a transaction within ${waitMaxMs} ms.`));
    }
    const [oldest] = waiting;
    if (oldest !== undefined) watchFrom(oldest.sinceMs - nowMs + waitMaxMs);
  };
  const watchFrom = (delayMs: number): void => {
    expiry ??= setTimeout(expire, delayMs).unref();
  };
  return (call) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    waiting.push({ call, sinceMs: performance.now(), resolve, reject });
    watchFrom(waitMaxMs);
    // What arrives in the same turn of the event loop runs together.
    if (!isScheduled) setImmediate(start);
    isScheduled = true;
    return promise;
  };
}

/** Stands for all members. */
const LOCKS = -1;

/**
 * Lets members lock as if each had a transaction of its own: a member that wants a locked row waits until the member
 * that locked it has finished. Locks of buffered rows hold for all members together. They are taken last and in the
 * order of their keys, so that two groups which lock the same rows cannot deadlock.
 */
export function shareConnection(members: number, { execute: send, flush }: ReturnType<typeof createBatch>) {
  /** By lock: who holds it, and who waits for it. */
  const locks = new Map<string, { holder: number; readonly queue: { member: number; go: () => void }[] }>();
  const taken = new Set<string>();
  let atBuffered: { name: string; query: Query; go: () => void }[] = [];
  /** Members that neither have finished nor wait for a lock. */
  let active = members;

  const pause = (): void => {
    active--;
    if (active > 0 || atBuffered.length === 0) return;
    const arrived = atBuffered.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    atBuffered = [];
    active = arrived.length;
    flush();
    for (const { name, query } of arrived) {
      if (!taken.has(name)) void send(LOCKS, query);
      taken.add(name);
    }
    flush();
    for (const { go } of arrived) go();
  };
  const lockBuffered = (name: string, query: Query): Promise<void> | undefined => {
    if (taken.has(name)) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    atBuffered.push({ name, query, go: resolve });
    pause();
    return promise;
  };
  return {
    /** Executes a statement of a member: a promise of its result, or undefined if nothing has to be waited for. */
    execute(member: number, query: Query): Promise<unknown> | undefined {
      const { kind, slot, isBuffered } = query.statement;
      if (kind !== "lock") return send(member, query);
      const name = `${slot} ${describeParameters(query)}`;
      if (isBuffered) return lockBuffered(name, query);
      const lock = locks.get(name);
      if (lock === undefined) {
        locks.set(name, { holder: member, queue: [] });
        return send(member, query);
      }
      if (lock.holder === member) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      lock.queue.push({ member, go: resolve });
      pause();
      return promise;
    },
    /** A member has run its last statement. */
    finish(member: number): void {
      for (const [name, lock] of locks) {
        if (lock.holder !== member) continue;
        const next = lock.queue.shift();
        if (next === undefined) locks.delete(name);
        else {
          lock.holder = next.member;
          // Its statements come behind those of the member that had the lock.
          flush();
          active++;
          next.go();
        }
      }
      pause();
    },
  };
}
