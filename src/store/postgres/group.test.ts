// How calls that share a transaction lock, without a database.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../ports/store/store.ts";
import { lock, one } from "../engine/statement.ts";
import type { Query, Transaction } from "../engine/transaction.ts";
import { createGroups, shareConnection } from "./group.ts";

/** Statements as queries. */
const queries: Query[] = [];
const capture = {
  execute: (statement: Query["statement"], parameters: Query["parameters"]) =>
    void queries.push({ statement, parameters }),
} as unknown as Transaction;
const lockRow = lock<{ id: number }>("select id from rows where id = :id");
const lockSum = lock<{ name: string }>("select name from sums where name = :name", { isBuffered: true });
const selectRow = one<{ id: number }, { id: number }>("select id from rows where id = :id");
const queryOf = (make: () => unknown): Query => {
  make();
  return queries.pop()!;
};
const row = (id: number, other = 0) => queryOf(() => lockRow(capture, { id, other } as { id: number }));
const sum = (name: string) => queryOf(() => lockSum(capture, { name }));
const select = queryOf(() => selectRow(capture, { id: 1 }));

/** Records what is sent, and says whether a lock has been granted. */
function shareRecorded(members: number) {
  const sent: string[] = [];
  const shared = shareConnection(members, {
    execute: (_, { statement, parameters }) => {
      sent.push(`${statement.kind} ${String(parameters["id"] ?? parameters["name"])}`);
      return statement.kind === "lock" ? undefined : Promise.resolve();
    },
    flush: () => {},
  });
  const granted = async (answer: Promise<unknown> | undefined) => {
    let isGranted = answer === undefined;
    void answer?.then(() => (isGranted = true));
    await new Promise(setImmediate);
    return isGranted;
  };
  return { ...shared, sent, granted };
}

test("a row that a member has locked is locked by others when it has finished, one after the other", async () => {
  const { execute, finish, sent, granted } = shareRecorded(3);
  assert.ok(await granted(execute(0, row(1))));
  const second = execute(1, row(1, 17));
  const third = execute(2, row(1));
  assert.ok(await granted(execute(0, row(1))), "its own lock");
  assert.ok(!(await granted(second)));
  finish(0);
  assert.ok(await granted(second));
  assert.ok(!(await granted(third)));
  finish(1);
  assert.ok(await granted(third));
  assert.deepEqual(sent, ["lock 1"], "the transaction has it");
});

test("locks of different rows do not wait, nor do other statements", async () => {
  const { execute, sent, granted } = shareRecorded(2);
  assert.ok(await granted(execute(0, row(1))));
  assert.ok(await granted(execute(1, row(2))));
  assert.ok(await granted(execute(1, select)));
  assert.deepEqual(sent, ["lock 1", "lock 2", "one 1"]);
});

test("buffered rows are locked once all members have the other locks, in the order of their keys", async () => {
  const { execute, finish, sent, granted } = shareRecorded(4);
  const last = execute(0, sum("b"));
  const first = execute(1, sum("a"));
  assert.deepEqual([await granted(last), await granted(first)], [false, false]);
  assert.ok(await granted(execute(2, row(1))));
  const again = execute(2, sum("a"));
  assert.ok(!(await granted(again)));
  finish(3);
  assert.deepEqual([await granted(last), await granted(first), await granted(again)], [true, true, true]);
  assert.deepEqual(sent, ["lock 1", "lock a", "lock b"]);
  assert.equal(execute(0, sum("a")), undefined, "the transaction has it");
});

test("a member that waits for another one's row does not keep that one from the buffered rows", async () => {
  const { execute, finish, sent, granted } = shareRecorded(2);
  assert.ok(await granted(execute(0, row(1))));
  const waiting = execute(1, row(1));
  assert.ok(await granted(execute(0, sum("a"))));
  finish(0);
  assert.ok(await granted(waiting));
  assert.ok(await granted(execute(1, sum("b"))));
  finish(1);
  assert.deepEqual(sent, ["lock 1", "lock a", "lock b"]);
});

test("what arrives together runs together; alone if that fails", async () => {
  const groups: (readonly string[])[] = [];
  const run = createGroups<string>(
    (calls) => {
      groups.push(calls);
      return Promise.resolve(calls.includes("bad") ? null : calls.map((name) => `${name} together`));
    },
    (name) => (name === "bad" ? Promise.reject(new Error("bad")) : Promise.resolve(`${name} alone`)),
    60_000,
  );
  assert.deepEqual(await Promise.all(["a", "b"].map(run)), ["a together", "b together"]);
  assert.equal(await run("c"), "c alone");
  const [kept, failed] = await Promise.allSettled(["d", "bad"].map(run));
  assert.deepEqual([kept?.status === "fulfilled" && kept.value, failed?.status], ["d alone", "rejected"]);
  assert.deepEqual(groups, [
    ["a", "b"],
    ["d", "bad"],
  ]);
});

test("two groups run at a time, and what arrives meanwhile joins the next", async () => {
  const started: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const run = createGroups<number>(
    (calls) => {
      started.push(calls);
      const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
      ends.push(() => resolve(calls));
      return promise;
    },
    (call) => Promise.resolve(call),
    60_000,
  );
  const turn = () => new Promise(setImmediate);
  const results: Promise<unknown>[] = [];
  for (const pair of [[1, 2], [3, 4], [5], [6, 7]]) {
    results.push(...pair.map(run));
    await turn();
  }
  assert.deepEqual(started, [
    [1, 2],
    [3, 4],
  ]);
  ends[0]?.();
  await turn();
  assert.deepEqual(started[2], [5, 6, 7]);
  for (const end of ends) end();
  assert.deepEqual(await Promise.all(results), [1, 2, 3, 4, 5, 6, 7]);
});

test("a call that waits too long for its turn is rejected; the others go on", async () => {
  const stuck = new Promise<never>(() => {});
  const run = createGroups<number>(
    () => stuck,
    () => stuck,
    // Longer than the two that begin ever wait for a turn of a busy machine's event loop.
    400,
  );
  const turn = () => new Promise(setImmediate);
  void run(1);
  await turn();
  void run(2);
  await turn();
  const late = await Promise.allSettled([run(3), run(4)]);
  for (const each of late) {
    assert.ok(each.status === "rejected" && each.reason instanceof StoreError && each.reason.kind === "unavailable");
  }
});
