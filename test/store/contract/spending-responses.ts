// Contract: after any steps of responses and budgets the books agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../../src/base/time.ts";
import fc from "../../support/fast-check.ts";
import { BUDGET_PERIODS } from "../../../src/contract/money.ts";
import type { BudgetName } from "../../../src/core/money/budgets.ts";
import { TESTS } from "../../support/actor.ts";
import { endOf, headOf, says, settleOf, usage } from "../fixtures.ts";
import { organizationOf } from "./hold-fixtures.ts";
import { openBooks, step } from "./spending-books.ts";
import { describeStore } from "./suite.ts";

export const testSpendingResponses = describeStore("spending of turns", (suite) => {
  test("a budget counts the holds and charges of responses, whenever it was set", async () => {
    const { store } = suite;
    const books = await openBooks(suite, 1000n);
    const name = (scope: BudgetName["scope"], id: string | null = null): BudgetName => ({
      scope,
      id,
      period: "month",
    });
    const set = (budget: BudgetName, limitNano: bigint) =>
      store.setBudget({ ...books.whose, name: budget, limitNano, by: TESTS });
    const counted = async () =>
      (await store.listBudgets(books.whose)).map(({ scope, spentNano, heldNano }) => [scope, spentNano, heldNano]);

    await set(name("organization"), 500n);
    const first = await books.begin({ key: 1, holdNano: 100n });
    assert.deepEqual(await counted(), [["organization", 0n, 100n]]);
    await set(name("member", books.memberId), 500n);
    const second = await books.begin({ key: 1, holdNano: 50n });
    assert.deepEqual(await counted(), [
      ["organization", 0n, 150n],
      ["member", 0n, 150n],
    ]);
    await books.settle(first, 30, 40);
    await set(name("key", books.keys[1] ?? null), 500n);
    assert.deepEqual(await counted(), [
      ["organization", 70n, 50n],
      ["member", 70n, 50n],
      ["key", 70n, 50n],
    ]);
    await books.settle(second, 60, 20);
    assert.deepEqual(await counted(), [
      ["organization", 150n, 0n],
      ["member", 150n, 0n],
      ["key", 150n, 0n],
    ]);
    const [sum] = await store.readUsage({ ...books.whose, by: [], fromDay: null, toDay: null, limit: 1 });
    assert.equal(sum?.chargedNano, 150n);
    assert.deepEqual((await store.reconcile(books.whose)).differences, []);
  });

  test("names below a wildcard that cost nothing and gave no answer count under the wildcard, and the books agree", async () => {
    const { store } = suite;
    const { caller, begin, check } = await organizationOf(suite, "wildcard", 10_000_000n);
    const readModels = async () => {
      const rows = await store.readUsage({ ...caller, by: ["model"], fromDay: null, toDay: null, limit: 10 });
      return Object.fromEntries(rows.map(({ groups, responses }) => [groups[0]?.id, responses]));
    };
    const none = {
      ...usage(0, 0),
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const turns = [
      ["acme/none-1", { status: "failed", usage: none }],
      ["acme/none-2", { status: "failed", usage: none }],
      ["acme/none-3", { status: "cancelled", usage: none }],
      ["acme/empty", { status: "completed", usage: none }],
      ["acme/paid", { status: "failed", usage: usage(5, 5) }],
    ] as const;
    for (const [model, end] of turns) {
      const head = headOf({ model });
      // oxlint-disable no-await-in-loop -- one turn after the other
      await begin(1_000_000n, { head });
      const settle = settleOf(head.id, [says("q")], endOf([], end));
      await store.settleResponse({ ...settle, countedModel: "acme/*" });
      const read = await store.readResponse({ caller, responseId: head.id });
      // oxlint-enable no-await-in-loop
      assert.equal(read?.head.model, model, "its client reads the name that it gave");
    }
    assert.deepEqual(await readModels(), { "acme/*": 3, "acme/empty": 1, "acme/paid": 1 });
    await check();
  });

  test("each day and month starts at zero, and a response counts on the day it began", async () => {
    const { store, clock } = suite;
    const books = await openBooks(suite, 1000n);
    for (const period of BUDGET_PERIODS) {
      await store.setBudget({
        ...books.whose,
        name: { scope: "organization", id: null, period },
        limitNano: 500n,
        by: TESTS,
      });
    }
    const counted = async () =>
      (await store.listBudgets(books.whose)).map(({ period, spentNano, heldNano }) => [period, spentNano, heldNano]);
    const turn = await books.begin({ key: 0, holdNano: 100n });
    // Into the next month.
    clock.advance(32 * 24 * HOUR_MS);
    assert.deepEqual(await counted(), [
      ["day", 0n, 0n],
      ["month", 0n, 0n],
      ["total", 0n, 100n],
    ]);
    await books.settle(turn, 5, 5);
    await books.settle(await books.begin({ key: 0, holdNano: 10n }), 1, 1);
    assert.deepEqual(await counted(), [
      ["day", 2n, 0n],
      ["month", 2n, 0n],
      ["total", 12n, 0n],
    ]);
    const days = await store.readUsage({ ...books.whose, by: ["day"], fromDay: null, toDay: null, limit: 100 });
    assert.deepEqual(
      days.map(({ chargedNano }) => chargedNano),
      [10n, 2n],
    );
    assert.deepEqual((await store.reconcile(books.whose)).differences, []);
  });

  test("a response that holds nothing at first counts in the budget's new day", async () => {
    const { store, clock } = suite;
    const books = await openBooks(suite, 1000n);
    const name: BudgetName = { scope: "organization", id: null, period: "day" };
    await store.setBudget({ ...books.whose, name, limitNano: 10n, by: TESTS });
    clock.advance(24 * HOUR_MS);
    await books.settle(await books.begin({ key: 0, holdNano: 0n }), 4, 5);
    const [budget] = await store.listBudgets(books.whose);
    assert.equal(budget?.spentNano, 9n);
    assert.deepEqual((await store.reconcile(books.whose)).differences, []);
  });

  test("a response that may hold nothing by the limit of a response counts in the budget's new day", async () => {
    const { store, clock } = suite;
    const books = await openBooks(suite, 1000n);
    const set = (name: BudgetName, limitNano: bigint) =>
      store.setBudget({ ...books.whose, name, limitNano, by: TESTS });
    await set({ scope: "organization", id: null, period: "day" }, 100n);
    await set({ scope: "response", id: null, period: "total" }, 0n);
    clock.advance(24 * HOUR_MS);
    await books.settle(await books.begin({ key: 0, holdNano: 1n }), 10, 20);
    const spent = (await store.listBudgets(books.whose)).map(({ scope, spentNano }) => [scope, spentNano]);
    assert.deepEqual(spent, [
      ["organization", 30n],
      ["response", 0n],
    ]);
    assert.deepEqual((await store.reconcile(books.whose)).differences, []);
  });

  test("a budget counts every day since the earliest running response began", async () => {
    const { store, clock } = suite;
    const books = await openBooks(suite, 1000n);
    await books.begin({ key: 0, holdNano: 10n });
    clock.advance(24 * HOUR_MS);
    await books.settle(await books.begin({ key: 0, holdNano: 10n }), 3, 4);
    clock.advance(48 * HOUR_MS);
    const name: BudgetName = { scope: "organization-day", id: null, period: "day" };
    await store.setBudget({ ...books.whose, name, limitNano: 100n, by: TESTS });
    assert.deepEqual((await store.reconcile(books.whose)).differences, []);
  });

  test("after any script of responses, top-ups and budgets the books agree", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const books = await openBooks(suite, 200n);
        for (const each of steps) await books.take(each);
        const { differences } = await suite.store.reconcile(books.whose);
        assert.deepEqual(differences, []);
      }),
      { numRuns: 100 },
    );
  });
});
