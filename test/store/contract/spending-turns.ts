// Contract: whatever turns do and whenever budgets are set, the books agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BUDGET_PERIODS } from "../../../src/contract/spending.ts";
import type { BudgetName } from "../../../src/core/accounts/budgets.ts";
import { TESTS } from "../../support/actor.ts";
import type { OpenStore } from "../fixtures.ts";
import { openBooks, step } from "./spending-books.ts";
import { describeStore } from "./suite.ts";

const HOUR_MS = 3_600_000;

export function testSpendingTurns(open: OpenStore): void {
  describeStore("spending of turns", open, (suite) => {
    test("a budget counts what turns hold and spend, whenever it was set", async () => {
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
      const [sum] = await store.readUsage({ ...books.whose, by: null, fromDay: null, toDay: null });
      assert.equal(sum?.chargedNano, 150n);
      assert.deepEqual((await store.reconcile(books.whose)).differences, []);
    });

    test("a day and a month begin anew, and a turn counts to the day it began", async () => {
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
      const days = await store.readUsage({ ...books.whose, by: "day", fromDay: null, toDay: null });
      assert.deepEqual(
        days.map(({ chargedNano }) => chargedNano),
        [10n, 2n],
      );
      assert.deepEqual((await store.reconcile(books.whose)).differences, []);
    });

    test("after any script of turns, top-ups and budgets the books agree", async () => {
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
}
