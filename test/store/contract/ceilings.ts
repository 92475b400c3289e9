// Contract: what the operator and the organization itself have set; the tighter is in force. docs/decisions/ceilings.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/base/time.ts";
import { CeilingError, NO_POLICY, type RuleSetter } from "../../../src/ports/store/accounts.ts";
import { type BudgetName, limitNow } from "../../../src/core/money/budgets.ts";
import { NO_LIMITS } from "../../../src/ports/store/limits.ts";
import { TESTS } from "../../support/actor.ts";
import { BUDGET, organizationOf } from "./hold-fixtures.ts";
import { describeStore } from "./suite.ts";

const MONTH = { ...BUDGET, period: "month" } as const;

export const testCeilings = describeStore("ceilings", (suite) => {
  /** An organization, and what changes its budget and its rules. */
  async function open(name: string) {
    const org = await organizationOf(suite, name, 10_000n);
    const { organizationId } = org.caller;
    const { store } = suite;
    const of = { organizationId, by: TESTS };
    return {
      organizationId,
      set: (setBy: RuleSetter, limitNano: bigint, budget: BudgetName = BUDGET) =>
        store.setBudget({ ...of, name: budget, limitNano, setBy }),
      clear: (setBy: RuleSetter) => store.clearBudget({ ...of, name: BUDGET, setBy }),
      raise: (setBy: RuleSetter, amountNano: bigint) => {
        const raise = { amountNano, untilMs: suite.clock.nowMs() + DAY_MS };
        return store.raiseBudget({ ...of, name: BUDGET, raise, setBy });
      },
      update: (setBy: RuleSetter, rules: Partial<Parameters<typeof store.updateOrganization>[0]>) =>
        store.updateOrganization({ ...rules, ...of, setBy }),
      budgets: async () => await store.listBudgets({ organizationId }),
      begin: org.begin,
      /** Requests of two keys for so much each of a budget, and what grants one. */
      ask: async (budget: typeof BUDGET | typeof MONTH, amountNano: bigint) => {
        const { keyId } = org.caller;
        const second = { id: `${keyId}_2`, organizationId, memberId: null, name: "second", revokedAt: null } as const;
        const secret = { lookup: `look_${second.id}`, hash: `hash_${second.id}` };
        await store.createKey({ by: TESTS, key: { ...second, permission: "all", createdAt: 1 }, secret });
        const keys = [keyId, second.id];
        for (const [index, each] of keys.entries()) {
          const caller = { organizationId, keyId: each };
          const request = {
            id: `inc_${name}_${index}`,
            caller,
            scope: budget.scope,
            period: budget.period,
            amountNano,
          };
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          await store.requestIncrease(request);
        }
        return keys.map((_, index) => (setBy: RuleSetter) => {
          return store.grantIncrease({ ...of, id: `inc_${name}_${index}`, amountNano, setBy });
        });
      },
    };
  }

  test("the lower of both limits of a budget is in force, and either goes by itself", async () => {
    const { set, clear, begin, budgets } = await open("both-limits");
    assert.equal((await set("organization", 50n)).ceiling, undefined);
    const both = await set("operator", 100n);
    assert.deepEqual([both.limitNano, both.ceiling], [50n, { limitNano: 100n, ownNano: 50n }]);
    assert.deepEqual((await begin(60n)).outcome, { kind: "begun", heldNano: 50n });
    const lower = await set("operator", 40n);
    assert.deepEqual([lower.limitNano, lower.ceiling], [40n, { limitNano: 40n, ownNano: 50n }]);
    const alone = await clear("organization");
    assert.deepEqual([alone.limitNano, alone.ceiling, alone.heldNano], [40n, { limitNano: 40n, ownNano: null }, 50n]);
    await assert.rejects(clear("organization"), CeilingError);
    await assert.rejects(set("organization", 41n), CeilingError);
    assert.deepEqual(await budgets(), [alone]);
    await set("organization", 30n);
    const own = await clear("operator");
    assert.deepEqual([own.limitNano, own.ceiling], [30n, undefined]);
    await clear("operator");
    assert.deepEqual(await budgets(), []);
  });

  test("a raise by the organization is cut to what the operator's limit leaves, one by the operator is not", async () => {
    const { set, raise } = await open("raises");
    await set("operator", 100n);
    await set("organization", 50n);
    assert.equal((await raise("organization", 50n)).raise?.amountNano, 50n);
    assert.equal((await set("operator", 80n)).raise?.amountNano, 30n);
    assert.equal((await set("organization", 80n)).raise, undefined);
    const raised = await raise("operator", 20n);
    assert.deepEqual([raised.limitNano, raised.raise?.amountNano, raised.raise?.isOperators], [80n, 20n, true]);
    assert.equal((await set("operator", 60n)).raise?.amountNano, 20n);
    // The organization may make it smaller; it stays the operator's.
    const { raise: smaller } = await raise("organization", 5n);
    assert.deepEqual([smaller?.amountNano, smaller?.isOperators], [5n, true]);
  });

  test("two grants at once, and a raise beside the operator's lower limit, stay within the operator's limit", async () => {
    for (const budget of [MONTH, BUDGET]) {
      const { set, ask, budgets } = await open(`grants-${budget.period}`);
      await set("operator", 10n, budget);
      await set("organization", 5n, budget);
      const grants = await ask(budget, 5n);
      const outcomes = await Promise.allSettled(grants.map((grant) => grant("organization")));
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
      const denied = outcomes.findIndex(({ status }) => status === "rejected");
      const outcome = outcomes[denied];
      assert.ok(outcome?.status === "rejected" && outcome.reason instanceof CeilingError);
      const [granted] = await budgets();
      assert.ok(granted);
      assert.equal(limitNow(granted), 10n);
      // The request that was denied is still open, and the operator grants it beyond that.
      const beyond = await grants[denied]?.("operator");
      assert.ok(beyond);
      assert.equal(limitNow(beyond), 15n);
    }

    const { set, raise, budgets } = await open("raise-beside");
    await set("operator", 10n);
    await set("organization", 5n);
    const [raised] = await Promise.allSettled([raise("organization", 5n), set("operator", 6n)]);
    const [left] = await budgets();
    assert.ok(left);
    assert.equal(limitNow(left), raised.status === "fulfilled" ? 6n : 5n);
    await assert.rejects(raise("organization", 2n), CeilingError);
  });

  test("an operator's grant lowers no limit of the organization's own", async () => {
    const { set, ask } = await open("granted-own");
    await set("organization", 20n);
    await set("operator", 10n);
    const [grant] = await ask(BUDGET, 3n);
    const granted = await grant?.("operator");
    assert.deepEqual([granted?.limitNano, granted?.ceiling], [13n, { limitNano: 13n, ownNano: 20n }]);
  });

  test("of policy, limits and retention the tighter rule of both is in force", async () => {
    const { update } = await open("both-rules");
    const policy = { allowModels: ["a", "b"], denyModels: ["x"], toolCallsPerTurn: 4 };
    await update("operator", { policy, limits: { openStreams: 9 }, retentionDays: 60 });
    const both = await update("organization", {
      policy: { allowModels: ["b", "c"], denyModels: ["y"], toolCallsPerTurn: 7 },
      limits: { openStreams: 3, createPerMinute: 5 },
      retentionDays: 90,
    });
    assert.deepEqual(both.policy, { allowModels: ["b"], denyModels: ["x", "y"], toolCallsPerTurn: 4 });
    assert.deepEqual(both.limits, { ...NO_LIMITS, openStreams: 3, createPerMinute: 5 });
    assert.equal(both.retentionDays, 60);
    assert.deepEqual(both.rules.operator, { policy, limits: { ...NO_LIMITS, openStreams: 9 }, retentionDays: 60 });
    const own = await update("operator", { policy: NO_POLICY, limits: NO_LIMITS, retentionDays: null });
    assert.deepEqual(
      [own.policy, own.limits, own.retentionDays],
      [own.rules.organization.policy, own.rules.organization.limits, 90],
    );
  });

  test("the audit log says who has set a rule, and shows that one's values", async () => {
    const { organizationId, update, set } = await open("who");
    await update("operator", { retentionDays: 60 });
    await update("organization", { retentionDays: 30 });
    await set("operator", 2_000_000_000n);
    await set("organization", 1_000_000_000n);
    const entries = await suite.store.listAudit({ organizationId, before: null, limit: 4 });
    assert.deepEqual(
      entries.toReversed().map(({ before, after }) => [before, after]),
      [
        [{ days: null }, { days: 60, set_by: "operator" }],
        [{ days: null }, { days: 30, set_by: "organization" }],
        [null, { ...BUDGET, limit: 2, set_by: "operator" }],
        [{ limit: null }, { limit: 1, set_by: "organization" }],
      ],
    );
  });
});
