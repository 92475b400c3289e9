// Calls of the store in transactions of PostgreSQL: which errors are retried, and that a failed transaction leaves
// nothing. docs/reliability.md, F-09
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountError } from "../../src/ports/store/accounts.ts";
import { StoreError } from "../../src/ports/store/store.ts";
import { change, lock, many, one, write } from "../../src/store/engine/statement.ts";
import type { Call } from "../../src/store/postgres/transactions.ts";
import { until } from "../support/until.ts";
import { NOTHING, noting, openNotes } from "./postgres-notes.ts";

const addUnasked = write<{ text: string }>("insert into notes (text) values (:text)");
const countNotes = one<Record<never, never>, { count: number }>("select count(*) as count from notes");
const raise = many<{ code: string }, never>("select public.raise(:code)");
const raiseUnasked = write<{ code: string }>("select public.raise(:code)");
const lockNotes = lock<Record<never, never>>("select id from notes");
const killSelf = many<Record<never, never>, never>("select pg_terminate_backend(pg_backend_pid())");
const lockNote = change<{ id: number }>("update notes set text = text where id = :id");
const selectSettings = one<
  Record<never, never>,
  { isolation: string; readOnly: string; lock: string; statement: string }
>(`
  select current_setting('transaction_isolation') as isolation,
         current_setting('transaction_read_only') as readOnly,
         current_setting('lock_timeout')          as lock,
         current_setting('statement_timeout')     as statement`);

function unavailable(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof StoreError);
    assert.equal(error.kind, "unavailable", error.message);
    assert.match(error.message, message);
    return true;
  };
}

for (const code of ["40001", "40P01", "23505"]) {
  test(`a call that fails with ${code} runs again from its start, and once in all`, async (t) => {
    const notes = await openNotes(t);
    const call = noting(function* (tx, attempts) {
      if (attempts < 4) yield* raise(tx, { code });
    });
    assert.equal(await notes.write(call), 4);
    assert.equal(await notes.count(), 1);
  });
}

test("a write without a result fails its transaction: the last one in the commit, an earlier one before the next", async (t) => {
  const notes = await openNotes(t);
  const last = noting(function* (tx, attempts) {
    if (attempts < 3) yield* raiseUnasked(tx, { code: "40001" });
  });
  assert.equal(await notes.write(last), 3);
  assert.equal(await notes.count(), 1);
  const earlier = noting(function* (tx) {
    yield* raiseUnasked(tx, { code: "22000" });
    yield* lockNotes(tx, {});
    yield* countNotes(tx, {});
  });
  await assert.rejects(notes.write(earlier), { kind: "failed", message: "PostgreSQL: error 22000." });
  assert.equal(await notes.count(), 1);
});

test("many writes without a result are all made, in order", async (t) => {
  const notes = await openNotes(t);
  await notes.write(function* (tx) {
    for (let place = 0; place < 700; place++) yield* addUnasked(tx, { text: String(place) });
  });
  const texts = await notes.server.query<{ text: string }>(
    notes.database,
    "select text from notebook.notes where id > 2 order by id",
  );
  assert.deepEqual(
    texts.map(({ text }) => text),
    Array.from({ length: 700 }, (_, place) => String(place)),
  );
});

test("a call that never gets through is unavailable and changes nothing", async (t) => {
  const notes = await openNotes(t);
  let runs = 0;
  const call = noting(function* (tx) {
    runs++;
    yield* raise(tx, { code: "40001" });
  });
  await assert.rejects(notes.write(call), unavailable(/40001/));
  assert.deepEqual([runs, await notes.count()], [6, 0]);
});

test("two calls that deadlock both succeed", async (t) => {
  const notes = await openNotes(t);
  let arrived = 0;
  const crossing = (first: number, second: number): Call =>
    function* (tx) {
      yield* lockNote(tx, { id: first });
      // Each holds its first row before one of them asks for the other's.
      arrived++;
      // oxlint-disable-next-line no-unmodified-loop-condition -- the other call modifies it meanwhile
      while (arrived < 2) yield* countNotes(tx, {});
      yield* lockNote(tx, { id: second });
      return true;
    };
  assert.deepEqual(await Promise.all([notes.write(crossing(1, 2)), notes.write(crossing(2, 1))]), [true, true]);
});

test("an error of the call is thrown as it is, after its changes were rolled back", async (t) => {
  const notes = await openNotes(t, { connectionsMax: 1 });
  const violated = new AccountError("No.");
  const call = noting(() => {
    throw violated;
  });
  await assert.rejects(notes.write(call), violated);
  assert.equal(await notes.count(), 0);
  assert.equal(await notes.write(noting(() => NOTHING)), 1);
  assert.equal(await notes.count(), 1);
});

test("a call whose connection is killed runs again on another one", async (t) => {
  const notes = await openNotes(t, { connectionsMax: 1 });
  const call = noting(function* (tx, attempts) {
    if (attempts === 1) yield* killSelf(tx, {});
  });
  assert.equal(await notes.write(call), 2);
  assert.equal(await notes.count(), 1);
});

test("after every connection was killed while idle, the next calls succeed", async (t) => {
  const notes = await openNotes(t);
  const addOne = () => notes.write(noting(() => NOTHING));
  await Promise.all([addOne(), addOne(), addOne()]);
  await notes.server.query(
    notes.database,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await Promise.all([addOne(), addOne(), addOne()]);
  assert.equal(await notes.count(), 6);
});

test("a server that is away is unavailable, and used again when it is back", async (t) => {
  const notes = await openNotes(t, { behindProxy: true });
  const addOne = () => notes.write(noting(() => NOTHING));
  await addOne();
  notes.proxy.refuse();
  await assert.rejects(addOne(), unavailable(/PostgreSQL is unreachable/));
  notes.proxy.restore();
  await addOne();
  assert.equal(await notes.count(), 2);
});

test("a server that falls silent is unavailable after the time for an answer", async (t) => {
  const notes = await openNotes(t, { behindProxy: true, statementTimeoutMs: 1 });
  const read = () => notes.readPoint("count", (tx) => countNotes(tx, {}));
  await read();
  notes.proxy.stall();
  await assert.rejects(read(), unavailable(/timeout/));
  notes.proxy.restore();
  assert.deepEqual(await read(), { count: 2 });
});

test("a transaction that stands still holds its locks for a limited time; it runs again when its process wakes", async (t) => {
  const notes = await openNotes(t, { behindProxy: true, idleTransactionMs: 500 });
  let runs = 0;
  const lockAndAdd: Call = function* (tx) {
    runs++;
    yield* lockNote(tx, { id: 1 });
    yield* addUnasked(tx, { text: "more" });
  };
  notes.proxy.stopAfter("set text = text");
  const stopped = notes.write(lockAndAdd);
  const idle = "select 1 from pg_stat_activity where state = 'idle in transaction' and datname = current_database()";
  await until("the lock", async () => (await notes.server.query(notes.database, idle)).length === 1);
  await notes.write((tx) => lockNote(tx, { id: 1 }));
  await stopped;
  assert.deepEqual([runs, await notes.count()], [2, 1]);
});

test("a transaction that the server ends because its next statement was lost on the way runs again", async (t) => {
  const notes = await openNotes(t, { behindProxy: true, idleTransactionMs: 100 });
  notes.proxy.loseFrom("select count(*)");
  const call = noting((tx) => countNotes(tx, {}));
  assert.equal(await notes.write(call), 2);
  assert.equal(await notes.count(), 1);
});

test("a statement that waits too long for another transaction is unavailable", async (t) => {
  const notes = await openNotes(t, { statementTimeoutMs: 50 });
  const other = await notes.server.connect(notes.database);
  t.after(() => other.end());
  await other.query("begin; update notebook.notes set text = 'held'");
  await assert.rejects(
    notes.write((tx) => lockNote(tx, { id: 1 })),
    unavailable(/57014/),
  );
});

test("writes and reads have their isolation and timeouts in each transaction", async (t) => {
  const notes = await openNotes(t);
  const timeouts = { lock: "2s", statement: "5s" };
  const twice: Call = function* (tx) {
    yield* countNotes(tx, {});
    return yield* selectSettings(tx, {});
  };
  const written = await notes.write(twice);
  assert.deepEqual(written, { isolation: "read committed", readOnly: "off", ...timeouts });
  const read = await notes.read(twice);
  assert.deepEqual(read, { isolation: "repeatable read", readOnly: "on", ...timeouts });
});

test("a point read of one statement needs no transaction; one of several has a snapshot", async (t) => {
  const notes = await openNotes(t);
  const isolationOf = async (result: Promise<unknown>) => ((await result) as { isolation: string }).isolation;
  const once: Call = (tx) => selectSettings(tx, {});
  const twice: Call = function* (tx) {
    yield* countNotes(tx, {});
    return yield* selectSettings(tx, {});
  };
  assert.equal(await isolationOf(notes.readPoint("once", once)), "read committed");
  assert.equal(await isolationOf(notes.readPoint("twice", twice)), "repeatable read");
  // From then on its first statement is in the snapshot at once.
  assert.equal(await isolationOf(notes.readPoint("twice", once)), "repeatable read");
  assert.equal(await isolationOf(notes.readPoint("once", once)), "read committed");
});

test("a read sees one state of the database, whatever is committed meanwhile", async (t) => {
  const notes = await openNotes(t);
  let added: Promise<unknown> = Promise.resolve();
  let hasAdded = false;
  const counts = (await notes.read(function* (tx) {
    const before = yield* countNotes(tx, {});
    if (!hasAdded) added = notes.write(noting(() => NOTHING));
    hasAdded = true;
    for (let times = 0; times < 20; times++) yield* countNotes(tx, {});
    return [before, yield* countNotes(tx, {})];
  })) as unknown[];
  await added;
  assert.deepEqual(counts[0], counts[1]);
  assert.equal(await notes.count(), 1);
});
