// The turn that waits is found by the response that it continued, at the same cost however many responses continued
// that one: on PostgreSQL each statement is a round trip.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce, type Transaction } from "../../src/store/engine/transaction.ts";
import { PROCEDURES } from "../../src/store/procedures.ts";
import { openConnection } from "../../src/store/sqlite/database/connection.ts";
import { ACME, addCallers, calls, placeAfter, runResponse } from "./fixtures.ts";
import { openFor } from "./sqlite-files.ts";

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

  const settings = { path, owner: 1, idempotencyRetentionMs: 0, usageParts: 1 };
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
  const statementsFor = (callId: string): number => {
    const name = { by: "response", responseId: named.id, answeredCallIds: [callId] };
    statements = 0;
    runAtOnce(PROCEDURES.findContinuation.run(tx, { caller: ACME, name } as never, 0));
    return statements;
  };
  assert.ok(statementsFor("call_none") < 20, `${statements} statements`);
  assert.ok(statementsFor("call_oldest") < 20, `${statements} statements`);
  const name = { by: "response", responseId: named.id, answeredCallIds: ["call_oldest"] } as const;
  assert.equal((await store.findContinuation({ caller: ACME, name }))?.latest?.head.id, oldest.id);
});
