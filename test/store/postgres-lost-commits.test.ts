// A COMMIT whose answer is lost: the call has the outcome that its transaction had. docs/reliability.md, F-07
import assert from "node:assert/strict";
import { test } from "node:test";
import { UnconfirmedWrite } from "../../src/ports/store/store.ts";
import type { Call } from "../../src/store/postgres/transactions.ts";
import { NOTHING, type Notes, noting, openNotes } from "./postgres-notes.ts";
import { COMMIT } from "./postgres-proxy.ts";
import { startServer } from "./postgres-server.ts";

for (const [how, isTogether] of [
  ["alone", false],
  ["together", true],
] as const) {
  const writeAll = (notes: Notes, calls: readonly Call[]) =>
    Promise.all(calls.map((call) => (isTogether ? notes.writeTogether(call) : notes.write(call))));
  const newCalls = () => Array.from({ length: isTogether ? 3 : 1 }, () => noting(() => NOTHING));

  test(`a call ${how} whose COMMIT arrived and has no answer has succeeded, once`, async (t) => {
    const notes = await openNotes(t, { behindProxy: true });
    notes.proxy.cutAfter(COMMIT);
    const calls = newCalls();
    assert.deepEqual(new Set(await writeAll(notes, calls)), new Set([1]));
    assert.equal(await notes.count(), calls.length);
  });

  test(`a call ${how} whose COMMIT did not arrive runs again, and once in all`, async (t) => {
    const notes = await openNotes(t, { behindProxy: true });
    notes.proxy.cutBefore(COMMIT);
    const calls = newCalls();
    assert.deepEqual(new Set(await writeAll(notes, calls)), new Set([2]));
    assert.equal(await notes.count(), calls.length);
  });

  test(`when the server cannot be asked, a call ${how} with a lost COMMIT is unconfirmed and not repeated`, async (t) => {
    const notes = await openNotes(t, { behindProxy: true });
    notes.proxy.cutAfter(COMMIT, notes.proxy.refuse);
    const calls = newCalls();
    await assert.rejects(writeAll(notes, calls), (error) => error instanceof UnconfirmedWrite);
    notes.proxy.restore();
    assert.equal(await notes.count(), calls.length);
    await writeAll(notes, newCalls());
    assert.equal(await notes.count(), 2 * calls.length);
  });
}

test("a COMMIT that is lost when a process of the server crashes is unconfirmed: transactions may get its number again", async (t) => {
  const notes = await openNotes(t, { behindProxy: true, server: await startServer() });
  const victim = await notes.server.connect(notes.database);
  victim.on("error", () => {});
  const { rows } = await victim.query<{ pid: number }>("select pg_backend_pid() as pid");
  notes.proxy.cutAfter(COMMIT, () => process.kill(Number(rows[0]?.pid), "SIGKILL"));
  await assert.rejects(notes.write(noting(() => NOTHING)), (error) => error instanceof UnconfirmedWrite);
  assert.equal(await notes.write(noting(() => NOTHING)), 1);
});
