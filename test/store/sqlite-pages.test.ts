// What the two commits of a turn write: the tables and indexes of which a page goes to the WAL. Each costs some 10 µs of
// every turn, so one more is a decision. docs/how-a-turn-is-stored.md
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  ACME,
  addCallers,
  answers,
  beginOf,
  endOf,
  headOf,
  placeAfter,
  runResponse,
  says,
  settleOf,
} from "./fixtures.ts";
import { PRICES } from "./contract/hold-fixtures.ts";
import { walBytes, withDatabase } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";
import { TESTS } from "../support/actor.ts";

/** Of the WAL's header, and of that before each page. */
const [HEADER_BYTES, FRAME_BYTES] = [32, 24];

/** Of a free turn that begins a history. */
const BEGIN = [
  "responses",
  "responses_by_key",
  "responses_by_organization",
  "responses_by_thread",
  "responses_running",
  // Of its public id.
  "sqlite_autoindex_responses_1",
  "threads",
  "threads_retained",
];
const SETTLE = [
  "items",
  "items_by_position",
  "responses",
  "responses_by_thread",
  "responses_running",
  // Of the items' public ids.
  "sqlite_autoindex_items_1",
  "threads",
  "usage_by_hour",
];

/** What money without budgets adds. */
const HELD = ["balances", "ledger_transfers", "ledger_transfers_hold_once"];
const CHARGED = ["balances", "ledger_transfers", "ledger_transfers_between", "ledger_transfers_close_once"];

test("a turn writes these tables and indexes, and no other", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  // The first turn of an hour adds a row of usage, the others count in it.
  await runResponse(store);
  const writes = watchWrites(path);
  const id = headOf().id;
  await store.beginResponse(beginOf(headOf({ id, turnId: id })));
  assert.deepEqual(writes.next(), BEGIN);
  await store.settleResponse(settleOf(id, [says("question")], endOf([answers("answer")])));
  assert.deepEqual(writes.next(), SETTLE);

  // One that continues it has its thread.
  const next = headOf().id;
  await store.beginResponse(
    beginOf(headOf({ id: next, turnId: next, previousResponseId: id }), { placement: await placeAfter(store, id) }),
  );
  assert.deepEqual(
    writes.next(),
    [...BEGIN.filter((name) => !name.startsWith("threads")), "responses_by_previous"].sort(),
  );

  const paid = headOf().id;
  await store.addCredits({
    by: TESTS,
    organizationId: ACME.organizationId,
    transactionId: "txn",
    amountNano: 10_000n,
    createdAt: 1,
  });
  writes.next();
  await store.beginResponse(
    beginOf(headOf({ id: paid, turnId: paid }), { funds: { holdNano: 6000n, prices: PRICES } }),
  );
  assert.deepEqual(writes.next(), [...BEGIN, ...HELD].sort());
  await store.settleResponse(settleOf(paid, [says("question")], endOf([answers("answer")])));
  assert.deepEqual(writes.next(), [...SETTLE, ...CHARGED].sort());
});

/** The tables and indexes that commits have written since the call before; page 1 only says how long the file is. */
function watchWrites(path: string): { next(): string[] } {
  let from = walBytes(path);
  return {
    next() {
      const wal = readFileSync(`${path}-wal`);
      const frame = FRAME_BYTES + wal.readUInt32BE(8);
      const pages = new Set<number>();
      for (let at = Math.max(from, HEADER_BYTES); at < wal.length; at += frame) pages.add(wal.readUInt32BE(at));
      from = wal.length;
      return withDatabase(path, (database) => {
        const found = database.prepare("select distinct name from dbstat where pageno = ?");
        const names = [...pages].filter((page) => page > 1).map((page) => String(found.get(page)?.["name"]));
        return [...new Set(names)].sort();
      });
    },
  };
}
