// Contract: budgets, usage, and reconciling.
import assert from "node:assert/strict";
import { test } from "node:test";
import { USAGE_GROUPINGS } from "../../../src/contract/money.ts";
import type { BudgetName } from "../../../src/core/money/budgets.ts";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import { TESTS } from "../../support/actor.ts";
import { describeStore } from "./suite.ts";

const CREDIT = 1_000_000_000n;
const NO_USE = {
  responses: 0,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  chargedNano: 0n,
  savedNano: 0n,
};

const total = (scope: BudgetName["scope"], id: string | null = null): BudgetName => ({ scope, id, period: "total" });

export const testSpending = describeStore("spending", (suite) => {
  const set = (name: BudgetName, limitNano: bigint, organizationId = "org_acme") =>
    suite.store.setBudget({ organizationId, name, limitNano, by: TESTS });
  const clear = (name: BudgetName, organizationId = "org_acme") =>
    suite.store.clearBudget({ organizationId, name, by: TESTS });
  const list = (organizationId = "org_acme") => suite.store.listBudgets({ organizationId });
  const budget = (name: BudgetName, limitNano: bigint) => ({ ...name, limitNano, spentNano: 0n, heldNano: 0n });

  test("budgets of every scope and period coexist and are listed by scope", async () => {
    await suite.store.addMember({
      by: TESTS,
      id: "mem_ada",
      organizationId: "org_acme",
      email: "ada@acme.test",
      role: "member",
      createdAt: 1,
    });
    const names: readonly BudgetName[] = [
      total("response"),
      { scope: "key", id: "key_acme", period: "day" },
      { scope: "member", id: "mem_ada", period: "month" },
      { scope: "organization-day", id: null, period: "day" },
      { scope: "organization", id: null, period: "month" },
      { scope: "organization", id: null, period: "day" },
      total("organization"),
    ];
    for (const name of names) assert.deepEqual(await set(name, CREDIT), budget(name, CREDIT));
    const [response, key, member, day, ...organization] = names;
    assert.deepEqual(
      (await list()).map(({ scope, id, period }) => ({ scope, id, period })),
      [...organization, day, member, key, response],
    );
    assert.deepEqual(await list("org_other"), []);
    for (const name of names) assert.deepEqual(await clear(name), budget(name, CREDIT));
    assert.deepEqual(await list(), []);
  });

  test("a budget that is set again has the new limit, from zero to beyond the safe integers of a number", async () => {
    const name = total("organization");
    for (const limitNano of [5n * CREDIT, 0n, 1000n, 999_999_999_999_999_999n]) {
      assert.deepEqual(await set(name, limitNano), budget(name, limitNano));
      assert.deepEqual(await list(), [budget(name, limitNano)]);
    }
    for (const limitNano of [-1n, 10n ** 18n + 1n]) await assert.rejects(set(name, limitNano), AccountError);
    await clear(name);
  });

  test("a member is named by id or e-mail address, in any letter case", async () => {
    const name = total("member", "mem_ada");
    assert.deepEqual(await set(total("member", "ADA@acme.test"), CREDIT), budget(name, CREDIT));
    assert.deepEqual(await set(name, 2n * CREDIT), budget(name, 2n * CREDIT));
    assert.deepEqual(await clear(total("member", "ada@acme.test")), budget(name, 2n * CREDIT));
  });

  test("members and keys of other organizations can have no budget", async () => {
    for (const name of [total("member", "mem_nobody"), total("key", "key_nobody"), total("key", "key_other")]) {
      await assert.rejects(set(name, CREDIT), AccountError);
      await assert.rejects(clear(name), AccountError);
    }
    await assert.rejects(set(total("member", "mem_ada"), CREDIT, "org_other"), AccountError);
    await assert.rejects(set(total("organization"), CREDIT, "nobody"), AccountError);
    await assert.rejects(clear(total("organization")), AccountError, "there is none");
    assert.deepEqual(await list(), []);
  });

  test("removing a member deletes the member's budgets", async () => {
    await set(total("member", "mem_ada"), CREDIT);
    await set({ scope: "member", id: "mem_ada", period: "day" }, CREDIT);
    await set(total("organization"), CREDIT);
    await suite.store.removeMember({ by: TESTS, organizationId: "org_acme", memberId: "mem_ada" });
    assert.deepEqual(await list(), [budget(total("organization"), CREDIT)]);
    await clear(total("organization"));
  });

  test("a revoked key keeps its budgets until they are cleared, and gets no new ones", async () => {
    const key = {
      id: "key_gone",
      organizationId: "org_acme",
      memberId: null,
      name: "gone",
      permission: "all",
      createdAt: 1,
      revokedAt: null,
    } as const;
    await suite.store.createKey({ by: TESTS, key, secret: { lookup: "look_gone", hash: "h" } });
    const name = total("key", "key_gone");
    await set(name, CREDIT);
    await suite.store.revokeKey({ by: TESTS, keyId: "key_gone", revokedAt: 2 });
    assert.deepEqual(await list(), [budget(name, CREDIT)]);
    await assert.rejects(set(name, 2n * CREDIT), AccountError);
    assert.deepEqual(await clear(name), budget(name, CREDIT));
    assert.deepEqual(await list(), []);
  });

  test("every change of a budget is a row of the audit log, with its actor", async () => {
    const name: BudgetName = { scope: "key", id: "key_acme", period: "month" };
    await set(name, CREDIT);
    await set(name, CREDIT);
    await set(name, 2n * CREDIT);
    await clear(name);
    await set(total("organization"), CREDIT);
    await clear(total("organization"));
    const ofKey = "key key_acme month";
    const entries = await suite.store.listAudit({ organizationId: "org_acme", before: null, limit: 5 });
    assert.deepEqual(
      entries.map(({ action, target, by, before, after }) => ({ action, target, by, before, after })).toReversed(),
      [
        {
          action: "budget.set",
          target: ofKey,
          by: TESTS,
          before: null,
          after: { ...name, limit: 1, set_by: "organization" },
        },
        {
          action: "budget.set",
          target: ofKey,
          by: TESTS,
          before: { limit: 1 },
          after: { limit: 2, set_by: "organization" },
        },
        { action: "budget.clear", target: ofKey, by: TESTS, before: { ...name, limit: 2 }, after: null },
        {
          action: "budget.set",
          target: "organization total",
          by: TESTS,
          before: null,
          after: { ...total("organization"), limit: 1, set_by: "organization" },
        },
        {
          action: "budget.clear",
          target: "organization total",
          by: TESTS,
          before: { ...total("organization"), limit: 1 },
          after: null,
        },
      ],
    );
  });

  test("without usage the sum is zero and there are no groups", async () => {
    const all = { organizationId: "org_other", fromDay: null, toDay: null, limit: 10 };
    assert.deepEqual(await suite.store.readUsage({ ...all, by: [] }), [{ groups: [], hours: null, ...NO_USE }]);
    for (const by of USAGE_GROUPINGS) {
      const days = by === "month" ? { fromDay: 0, toDay: 100 } : {};
      assert.deepEqual(await suite.store.readUsage({ ...all, ...days, by: [by] }), []);
    }
  });

  test("the books of an organization with a top-up agree", async () => {
    await suite.store.addCredits({
      by: TESTS,
      transactionId: "txn_books",
      organizationId: "org_acme",
      amountNano: 900_719_925_474_099_301n,
      createdAt: 2,
    });
    const { organizations, transfers, differencesFound, differences } = await suite.store.reconcile({
      organizationId: null,
    });
    assert.deepEqual(
      { organizations, transfers, differencesFound, differences },
      {
        organizations: 2,
        transfers: 1,
        differencesFound: 0,
        differences: [],
      },
    );
    assert.equal((await suite.store.reconcile({ organizationId: "org_other" })).transfers, 0);
  });
});
