import assert from "node:assert/strict";
import { test } from "node:test";
import { BUDGETS } from "../../manage/budgets.ts";
import type { Ask } from "../../manage/operation.ts";
import { readWhole } from "./run-operation.ts";

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
