import assert from "node:assert/strict";
import { test } from "node:test";
import { AUDIT } from "../../manage/audit.ts";
import { BUDGETS } from "../../manage/budgets.ts";
import { EVENTS } from "../../manage/events.ts";
import { MEMBERS } from "../../manage/members.ts";
import type { CallOperation } from "../../manage/definition/operation.ts";
import { OPERATIONS } from "../../manage/operations.ts";
import { SPENDING } from "../../manage/spending.ts";
import type { Shape } from "../../manage/definition/read-body.ts";
import { hasPages } from "./add-operations.ts";
import { readEveryPage, readUpToLimit } from "./read-list.ts";

const { listBudgets } = BUDGETS.operations;

/** Replies with these pages one after the other; keeps its inputs. */
function replying(...pages: readonly object[]) {
  const inputs: object[] = [];
  const call = (async (_, input) => pages[inputs.push(input) - 1]) as CallOperation;
  return { inputs, call };
}

test("a list is read until it has the requested number of entries, or ends", async () => {
  const pages = [
    { data: [9, 8], has_more: true, older: 8, newer: null },
    { data: [], has_more: true, older: 5, newer: 8 },
    { data: [4], has_more: false, older: null, newer: 5 },
  ];
  const { inputs, call } = replying(...pages);
  const read = await readUpToLimit(listBudgets, { limit: 4, actor: "ada" }, call);
  assert.deepEqual(read, { data: [9, 8, 4], has_more: false, older: null, newer: null });
  assert.deepEqual(inputs, [
    { limit: 4, actor: "ada" },
    { limit: 2, actor: "ada", before: 8 },
    { limit: 2, actor: "ada", before: 5 },
  ]);
  const enough = replying(...pages);
  assert.deepEqual(await readUpToLimit(listBudgets, { limit: 2 }, enough.call), pages[0]);
  assert.equal(enough.inputs.length, 1);
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
    const { inputs, call } = replying(reply);
    assert.deepEqual(await readUpToLimit(listBudgets, input, call), reply);
    assert.equal(inputs.length, 1);
  }
});

test("`--all` reads every page in the requested direction", async () => {
  const ids = (...numbers: number[]) => numbers.map((id) => ({ id }));
  const byOlder = replying(
    { data: ids(9), has_more: true, older: 9 },
    { data: [], has_more: true, older: 4 },
    { data: ids(2), has_more: false, older: null },
  );
  assert.deepEqual(await readEveryPage(AUDIT.operations.listAudit, { limit: 50, actor: "ada" }, byOlder.call), {
    data: ids(9, 2),
    has_more: false,
    older: null,
  });
  assert.deepEqual(byOlder.inputs, [
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
    const { inputs, call } = replying(...pages);
    assert.deepEqual(await readEveryPage(operation, input, call), { data: ids(3, 5, 8), has_more: false });
    assert.deepEqual(inputs, [
      { ...input, limit: maximum },
      { ...input, limit: maximum, ...place },
    ]);
  }
});

test("a list whose pages say what comes next is read by that, up to the requested number", async () => {
  const pages = [
    { data: [1, 2], has_more: true, next: "org_b" },
    { data: [], has_more: true, next: "org_d" },
    { data: [3], has_more: false, next: null },
  ];
  const { listSpending } = SPENDING.operations;
  const all = replying(...pages);
  assert.deepEqual(await readEveryPage(listSpending, {}, all.call), { data: [1, 2, 3], has_more: false, next: null });
  assert.deepEqual(all.inputs, [{ limit: 500 }, { limit: 500, after: "org_b" }, { limit: 500, after: "org_d" }]);
  const part = replying(...pages);
  assert.deepEqual(await readUpToLimit(listSpending, { limit: 3, after: "org_a" }, part.call), {
    data: [1, 2, 3],
    has_more: false,
    next: null,
  });
  assert.deepEqual(part.inputs[1], { limit: 1, after: "org_b" });
});

test("with --all every list reads a second page", async () => {
  const paged = OPERATIONS.filter((each) => each.command !== null && hasPages(each));
  assert.ok(paged.length > 8);
  for (const operation of paged) {
    const { properties = {} }: Shape = operation.output.shape;
    const ways = ["older", "next"].filter((way) => way in properties);
    assert.ok("has_more" in properties, operation.name);
    assert.ok(ways.length > 0 || "id" in (properties["data"]?.items?.properties ?? {}), operation.name);
    // Without a way of its own, the id of the last entry leads on.
    const page = (hasMore: boolean) => ({
      data: ways.length === 0 ? [{ id: "a" }] : [{}],
      has_more: hasMore,
      ...Object.fromEntries(ways.map((way) => [way, hasMore ? "a" : null])),
    });
    const { inputs, call } = replying(page(true), page(false));
    // oxlint-disable-next-line no-await-in-loop -- one list after the other
    const { data } = (await readEveryPage(operation, {}, call)) as { data: unknown[] };
    assert.equal(data.length, 2, operation.name);
    const [place, ...others] = Object.keys(inputs[1] ?? {}).filter((name) => name !== "limit");
    assert.deepEqual(others, []);
    assert.ok(place !== undefined && place in operation.fields, `${operation.name} ${place}`);
  }
});
