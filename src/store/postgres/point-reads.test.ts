import assert from "node:assert/strict";
import { test } from "node:test";
import type { PoolClient } from "pg";
import { one } from "../engine/statement.ts";
import type { Transaction } from "../engine/transaction.ts";
import { createPointReads } from "./point-reads.ts";
import { queryFor } from "./sender.ts";

const tx = { execute: queryFor } as unknown as Transaction;
const selectNote = one<{ id: number }, string>("select text from notes where id = :id");
const selectOther = one<{ id: number }, string>("select text from others where id = :id");

/** Point reads on connections that log what they execute; the note 0 cannot be read. */
function open() {
  const log: string[] = [];
  let connections = 0;
  const connect = async () => {
    const number = ++connections;
    return { release: () => log.push(`released ${number}`) } as never;
  };
  const answer = (id: unknown) => {
    if (id === 0) throw new Error("not this one");
    return `note ${String(id)}`;
  };
  const read = createPointReads({
    pool: { connect },
    execute: async (_, { parameters }) => {
      log.push(String(parameters["id"]));
      return answer(parameters["id"]);
    },
    merge: {
      canMerge: () => true,
      execute: async (_client, _statement, parameters) => {
        const ids = parameters.map(({ id }) => id);
        log.push(ids.join("+"));
        return ids.map(answer);
      },
    },
    waitMaxMs: 1000,
    attempt: async (work) => work((await connect()) as PoolClient),
    readSnapshot: async (start) => {
      log.push("snapshot");
      return [...start()].length;
    },
  });
  const note = (id: number) => read({ name: "note", start: () => selectNote(tx, { id }) });
  const other = (id: number) => read({ name: "other", start: () => selectOther(tx, { id }) });
  const both = () =>
    read({
      name: "both",
      *start() {
        yield* selectNote(tx, { id: 1 });
        yield* selectOther(tx, { id: 2 });
      },
    });
  return { log, note, other, both };
}

test("reads at the same time share a connection, and those of one statement the statement", async () => {
  const { log, note, other } = open();
  assert.deepEqual(await Promise.all([note(1), other(2), note(3)]), ["note 1", "note 2", "note 3"]);
  assert.deepEqual(log, ["1+3", "2", "released 1"]);
});

test("a read that is alone executes its own statement", async () => {
  const { log, note } = open();
  assert.equal(await note(1), "note 1");
  assert.deepEqual(log, ["1", "released 1"]);
});

test("when one fails, each is read alone, and the others succeed", async () => {
  const { note } = open();
  const [first, failed, last] = await Promise.allSettled([note(1), note(0), note(2)]);
  assert.deepEqual(
    [first, last],
    [
      { status: "fulfilled", value: "note 1" },
      { status: "fulfilled", value: "note 2" },
    ],
  );
  assert.match(String(failed?.status === "rejected" && failed.reason), /not this one/);
});

test("a read of two statements has a snapshot, alone and among others, and from then on at once", async () => {
  const { log, note, both } = open();
  assert.deepEqual(await Promise.all([both(), note(3)]), [2, "note 3"]);
  assert.deepEqual(log, ["1+3", "released 1", "snapshot"]);
  assert.equal(await both(), 2);
  assert.deepEqual(log.slice(3), ["snapshot"]);
  const alone = open();
  assert.equal(await alone.both(), 2);
  assert.deepEqual(alone.log, ["1", "released 1", "snapshot"]);
});
