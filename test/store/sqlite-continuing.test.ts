// What a request continues is found at the same cost however many responses continued the one that it names, however many
// rounds its turn has, and however much of its history is deleted: on PostgreSQL each statement is a round trip.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Caller } from "../../src/ports/store/histories.ts";
import type { ContinuationName } from "../../src/ports/store/responses.ts";
import { runAtOnce, type Transaction } from "../../src/store/engine/transaction.ts";
import { PROCEDURES } from "../../src/store/procedures.ts";
import { openConnection } from "../../src/store/sqlite/database/connection.ts";
import { ACME, addCallers, calls, makeConversation, outputs, placeAfter, runResponse, says } from "./fixtures.ts";
import { withDatabase } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";

/** Finds continuations on a connection of this thread, and counts the statements. */
function createFinder(t: TestContext, path: string) {
  const settings = { path, instanceId: 1, idempotencyRetentionMs: 0, usageParts: 1 };
  const connection = openConnection(settings, "read");
  t.after(() => connection.database.close());
  let statements = 0;
  const tx: Transaction = {
    ...connection,
    execute(statement, parameters) {
      statements++;
      return connection.execute(statement, parameters);
    },
  };
  return (name: ContinuationName, caller: Caller = ACME): number => {
    statements = 0;
    runAtOnce(PROCEDURES.findContinuation.run(tx, { caller, name } as never, 0));
    return statements;
  };
}

test("outputs are matched in a few statements, however many responses continued the named response", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const named = await runResponse(store);
  const head = { previousResponseId: named.id };
  await runResponse(store, { head, begin: { placement: await placeAfter(store, named.id) } });
  const placement = await placeAfter(store, named.id);
  const continueNamed = (callId: string) => runResponse(store, { head, begin: { placement }, output: [calls(callId)] });
  const oldest = await continueNamed("call_oldest");
  for (let turn = 0; turn < 50; turn++) await continueNamed(`call_${turn}`);

  const find = createFinder(t, path);
  const nameOf = (callId: string) => ({ by: "response", responseId: named.id, answeredCallIds: [callId] }) as const;
  for (const callId of ["call_none", "call_oldest"]) {
    const statements = find(nameOf(callId));
    assert.ok(statements < 20, `${statements} statements`);
  }
  const found = await store.findContinuation({ caller: ACME, name: nameOf("call_oldest") });
  assert.equal(found?.latest?.head.id, oldest.id);
});

test("the calls that wait are found in as many statements, however many rounds their turn has", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const find = createFinder(t, path);
  let newest = await runResponse(store, { output: [calls("call_0")] });
  const { turnId } = newest;
  const counts: number[] = [];
  for (let round = 1; round <= 60; round++) {
    const placement = await placeAfter(store, newest.id);
    const [input, output] = [[outputs(`call_${round - 1}`)], [calls(`call_${round}`)]];
    newest = await runResponse(store, { head: { turnId }, begin: { placement }, input, output });
    counts.push(find({ by: "response", responseId: newest.id, answeredCallIds: [`call_${round}`] }));
  }
  assert.deepEqual(new Set(counts).size, 1, `${counts[0]} to ${counts.at(-1)} statements`);
});

test("the size of a view costs the same behind many deleted items as behind few", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  /** A conversation in which so many items are deleted before the last one. */
  const conversationWith = async (deleted: number): Promise<ContinuationName> => {
    const conversationId = await makeConversation(store, [says("first"), says("last")]);
    withDatabase(path, (database) => {
      database.exec("begin immediate");
      const { id } = database.prepare("select id from threads where public_id = ?").get(conversationId) as {
        id: number;
      };
      database.prepare("update items set position = ? where thread_id = ? and position = 2").run(deleted + 1, id);
      database
        .prepare(
          `with recursive n(value) as (select 2 union all select value + 1 from n where value < ${deleted})
           insert into items (public_id, thread_id, position, kind, opens_turn, carried, size, size_total, turns_total)
           select 'deleted_' || n.value, ${id}, n.value, 'message', 1, 0, 1, n.value, n.value from n`,
        )
        .run();
      database.prepare("update items set deleted_at_ms = 1 where thread_id = ? and position <= ?").run(id, deleted);
      database.prepare("update threads set head_position = ? where id = ?").run(deleted + 1, id);
      database.exec("commit");
    });
    return { by: "conversation", conversationId, answeredCallIds: [] };
  };
  const [few, many] = [await conversationWith(1_000), await conversationWith(64_000)];
  const find = createFinder(t, path);
  /** CPU of this thread for many reads, microseconds: SQLite runs in it. */
  const costOf = (name: ContinuationName): number => {
    const before = process.threadCpuUsage();
    for (let run = 0; run < 200; run++) find(name);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  // The first reads are slow: their code is compiled meanwhile.
  costOf(few);
  const [base, cost] = [costOf(few), costOf(many)];
  assert.ok(cost < 3 * Math.max(base, 5_000), `${base} and ${cost} µs`);
});
