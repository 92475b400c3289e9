import assert from "node:assert/strict";
import { test } from "node:test";
import { AUDIT } from "../../manage/audit.ts";
import { BUDGETS } from "../../manage/budgets.ts";
import { EVENTS } from "../../manage/events.ts";
import { MEMBERS } from "../../manage/members.ts";
import type { Ask } from "../../manage/operation.ts";
import { readAll, readWhole } from "./read-list.ts";

const { listBudgets } = BUDGETS.operations;

/** Replies with these pages one after the other; keeps what it was asked. */
function replying(...pages: readonly object[]) {
  const asked: object[] = [];
  const ask = (async (_, input) => pages[asked.push(input) - 1]) as Ask;
  return { asked, ask };
}

test("a list is read on until it has as many entries as were asked for, or ends", async () => {
  const pages = [
    { data: [9, 8], has_more: true, older: 8, newer: null },
    { data: [], has_more: true, older: 5, newer: 8 },
    { data: [4], has_more: false, older: null, newer: 5 },
  ];
  const { asked, ask } = replying(...pages);
  const read = await readWhole(listBudgets, { limit: 4, actor: "ada" }, ask);
  assert.deepEqual(read, { data: [9, 8, 4], has_more: false, older: null, newer: null });
  assert.deepEqual(asked, [
    { limit: 4, actor: "ada" },
    { limit: 2, actor: "ada", before: 8 },
    { limit: 2, actor: "ada", before: 5 },
  ]);
  const enough = replying(...pages);
  assert.deepEqual(await readWhole(listBudgets, { limit: 2 }, enough.ask), pages[0]);
  assert.equal(enough.asked.length, 1);
});

test("a reply that is no page, and a page towards the newest, are what they are", async () => {
  for (const [reply, input] of [
    [{ data: [1] }, { limit: 2 }],
    [
      { data: [1], has_more: true, older: 1 },
      { limit: 2, after: 0 },
    ],
    [{ data: [1], has_more: true, older: 1 }, {}],
  ] as const) {
    const { asked, ask } = replying(reply);
    assert.deepEqual(await readWhole(listBudgets, input, ask), reply);
    assert.equal(asked.length, 1);
  }
});

test("all of a list are read in its largest pages, by older, by the last id, and in the direction asked for", async () => {
  const ids = (...numbers: number[]) => numbers.map((id) => ({ id }));
  const byOlder = replying(
    { data: ids(9), has_more: true, older: 9 },
    { data: [], has_more: true, older: 4 },
    { data: ids(2), has_more: false, older: null },
  );
  assert.deepEqual(await readAll(AUDIT.operations.listAudit, { limit: 50, actor: "ada" }, byOlder.ask), {
    data: ids(9, 2),
    has_more: false,
    older: null,
  });
  assert.deepEqual(byOlder.asked, [
    { limit: 500, actor: "ada" },
    { limit: 500, actor: "ada", before: 9 },
    { limit: 500, actor: "ada", before: 4 },
  ]);
  const pages = [
    { data: ids(3, 5), has_more: true },
    { data: ids(8), has_more: false },
  ];
  const { listMembers } = MEMBERS.operations;
  for (const [operation, input, maximum, place] of [
    [listMembers, {}, 1000, { after: 5 }],
    [EVENTS.operations.listEvents, {}, 500, { before: 5 }],
    [EVENTS.operations.listEvents, { after: 0 }, 500, { after: 5 }],
  ] as const) {
    const { asked, ask } = replying(...pages);
    assert.deepEqual(await readAll(operation, input, ask), { data: ids(3, 5, 8), has_more: false });
    assert.deepEqual(asked, [
      { ...input, limit: maximum },
      { ...input, limit: maximum, ...place },
    ]);
  }
});
