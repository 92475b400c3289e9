// What is sent together, and in which order.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Query, Statement, StatementKind } from "../engine/transaction.ts";
import { createBatch } from "./batch.ts";

const statement = (kind: StatementKind, slot: number): Statement => ({
  kind,
  slot,
  sql: `s${slot}`,
  isBuffered: false,
});
const [A, B, C] = [statement("write", 0), statement("write", 1), statement("one", 2)];
const NEVER_MERGED = statement("change", 3);
const query = (of: Statement, id: number): Query => ({ statement: of, parameters: { id } });

function record() {
  const sent: string[] = [];
  const batch = createBatch({
    canMerge: ({ kind }) => kind !== "change",
    sendOne({ statement: { sql, kind }, parameters }) {
      sent.push(`${sql} ${String(parameters["id"])}`);
      return kind === "write" ? undefined : Promise.resolve(`one ${String(parameters["id"])}`);
    },
    sendMerged({ sql }, parameters) {
      sent.push(`${sql} ${parameters.map(({ id }) => String(id)).join("+")}`);
      return Promise.resolve(parameters.map(({ id }) => `merged ${String(id)}`));
    },
  });
  return { ...batch, sent };
}

test("executions of one statement are sent as one; each gets its own result", async () => {
  const { execute, sent } = record();
  const results = [query(C, 10), query(C, 11), query(NEVER_MERGED, 12)].map(async (each, member) =>
    execute(member, each),
  );
  assert.deepEqual(sent, [], "not before every member has gone on");
  assert.deepEqual(await Promise.all(results), ["merged 10", "merged 11", "one 12"]);
  assert.deepEqual(sent, ["s2 10+11", "s3 12"]);
});

test("the statements of a member keep their order", async () => {
  const { execute, sent } = record();
  assert.equal(execute(0, query(A, 1)), undefined, "nobody waits for a write");
  execute(0, query(B, 2));
  execute(1, query(B, 3));
  execute(1, query(A, 4));
  await Promise.all([execute(0, query(C, 5)), execute(1, query(C, 6))]);
  assert.deepEqual(sent, ["s0 1", "s1 3", "s1 2", "s0 4", "s2 5+6"]);
});

test("what is executed after a flush is sent behind it", async () => {
  const { execute, flush, sent } = record();
  execute(0, query(A, 1));
  execute(0, query(B, 2));
  flush();
  await execute(1, query(C, 3));
  assert.deepEqual(sent, ["s0 1", "s1 2", "s2 3"]);
});

test("an error reaches every execution that was merged", async () => {
  const batch = createBatch({
    canMerge: () => true,
    sendOne: () => Promise.reject(new Error("alone")),
    sendMerged: () => Promise.reject(new Error("together")),
  });
  const settled = await Promise.allSettled([0, 1].map(async (member) => batch.execute(member, query(C, member))));
  assert.deepEqual(
    settled.map((each) => each.status === "rejected" && String(each.reason)),
    ["Error: together", "Error: together"],
  );
});
