// Contract: budgets raised for a while.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/base/time.ts";
import type { BudgetName } from "../../../src/core/money/budgets.ts";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import { TESTS } from "../../support/actor.ts";
import { BUDGET, organizationOf } from "./hold-fixtures.ts";
import { describeStore } from "./suite.ts";

export const testBudgetRaises = describeStore("raised budgets", (suite) => {
  const raise = (organizationId: string, amountNano: bigint, forMs: number, name: BudgetName = BUDGET) => {
    const untilMs = suite.clock.nowMs() + forMs;
    return suite.store.raiseBudget({ organizationId, name, raise: { amountNano, untilMs }, by: TESTS });
  };

  test("a response begins and extends its hold by the raised limit, until the raise ends by itself", async () => {
    const org = await organizationOf(suite, "raised", 10_000n);
    const { organizationId } = org.caller;
    await org.setBudget(BUDGET, 100n);
    const { head } = await org.begin(80n);
    assert.equal((await org.extend(head, 30n)).grantedNano, 0n);
    const raised = await raise(organizationId, 50n, HOUR_MS);
    const untilMs = suite.clock.nowMs() + HOUR_MS;
    assert.deepEqual(raised, {
      ...BUDGET,
      limitNano: 100n,
      raise: { amountNano: 50n, untilMs },
      spentNano: 0n,
      heldNano: 80n,
    });
    assert.deepEqual(await suite.store.listBudgets({ organizationId }), [raised]);
    assert.equal((await org.extend(head, 30n)).grantedNano, 30n);
    const { outcome } = await org.begin(60n);
    assert.deepEqual(outcome, { kind: "begun", heldNano: 40n });
    const shortage = { kind: "budget", scope: "organization", id: null, period: "total", limitNano: 150n } as const;
    const counted = { spentNano: 0n, heldNano: 150n, neededNano: 1n };
    assert.deepEqual((await org.begin(1n)).outcome, {
      kind: "shortage",
      shortage: { ...shortage, ...counted, ownNano: 0n },
    });

    suite.clock.advance(HOUR_MS - 1);
    const last = { ...shortage, ...counted, ownNano: 110n };
    assert.deepEqual((await org.extend(head, 1n)).shortage, last);
    suite.clock.advance(1);
    assert.deepEqual((await org.extend(head, 1n)).shortage, { ...last, limitNano: 100n });
    const [now] = await suite.store.listBudgets({ organizationId });
    assert.deepEqual([now?.limitNano, now?.raise, now?.heldNano], [100n, undefined, 150n]);
    // What was held under the raise is charged in full; more than the limit is spent, and nothing more begins.
    await org.end(head, 110, 0);
    assert.equal((await org.begin(1n)).outcome.kind, "shortage");
    assert.equal((await org.begin(0n, { funds: null })).outcome.kind, "shortage");
    await org.check();
  });

  test("the limit of a response and the spending of a key follow the raise too", async () => {
    const org = await organizationOf(suite, "raised-response", 10_000n);
    const { organizationId } = org.caller;
    const response = { scope: "response", id: null, period: "total" } as const;
    const day = { scope: "key", id: org.caller.keyId, period: "day" } as const;
    await org.setBudget(response, 10n);
    await org.setBudget(day, 20n);
    assert.deepEqual((await org.begin(40n)).outcome, { kind: "begun", heldNano: 10n });
    await raise(organizationId, 5n, DAY_MS, response);
    await raise(organizationId, 100n, DAY_MS, day);
    assert.deepEqual((await org.begin(40n)).outcome, { kind: "begun", heldNano: 15n });
    const spending = await suite.store.readKeySpending({ caller: org.caller });
    assert.deepEqual(
      spending?.budgets.map(({ limitNano, leftNano }) => [limitNano, leftNano]),
      [
        [15n, 15n],
        [120n, 95n],
      ],
    );
    suite.clock.advance(DAY_MS);
    assert.deepEqual((await org.begin(40n)).outcome, { kind: "begun", heldNano: 10n });
    await org.check();
  });

  test("turns of one commit see the limit of their own moment", async () => {
    const org = await organizationOf(suite, "raised-together", 10_000n);
    await org.setBudget(BUDGET, 10n);
    const outcomes = await Promise.all([
      org.begin(30n),
      raise(org.caller.organizationId, 25n, HOUR_MS),
      org.begin(30n),
      org.begin(30n),
    ]);
    const held = outcomes.flatMap((each) => ("outcome" in each ? [each.outcome] : []));
    const sum = held.reduce((added, each) => added + (each.kind === "begun" ? (each.heldNano ?? 30n) : 0n), 0n);
    // The response before the raise takes what the limit leaves, those after it the rest.
    assert.equal(sum, 35n);
    assert.equal((await org.begin(1n)).outcome.kind, "shortage");
    await org.check();
  });

  test("another raise replaces one, and 0 ends it; the limit is kept, and each is a row of the audit log", async () => {
    const org = await organizationOf(suite, "raised-twice", 0n);
    const { organizationId } = org.caller;
    await org.setBudget(BUDGET, 1_000_000_000n);
    await raise(organizationId, 1_000_000_000n, DAY_MS);
    await raise(organizationId, 2_000_000_000n, HOUR_MS);
    await org.setBudget(BUDGET, 3_000_000_000n);
    const until = Math.floor((suite.clock.nowMs() + HOUR_MS) / 1000);
    const ended = await raise(organizationId, 0n, -DAY_MS);
    assert.deepEqual([ended.limitNano, ended.raise], [3_000_000_000n, undefined]);
    const entries = await suite.store.listAudit({ organizationId, before: null, limit: 3 });
    const day = until - 3600 + 86_400;
    assert.deepEqual(
      entries
        .filter(({ action }) => action === "budget.raise")
        .map(({ target, before, after }) => ({ target, before, after })),
      [
        {
          target: "organization total",
          before: { raise: { amount: 2, until } },
          after: { raise: null, set_by: "organization" },
        },
        {
          target: "organization total",
          before: { raise: { amount: 1, until: day } },
          after: { raise: { amount: 2, until }, set_by: "organization" },
        },
      ],
    );
  });

  test("an unknown budget, a time that is past or too far and an amount below 0 are rejected", async () => {
    const org = await organizationOf(suite, "raised-wrong", 0n);
    const { organizationId } = org.caller;
    await assert.rejects(raise(organizationId, 1n, HOUR_MS), AccountError);
    await org.setBudget(BUDGET, 1n);
    for (const [amountNano, forMs] of [
      [1n, 0],
      [1n, -1],
      [1n, 367 * DAY_MS],
      [-1n, HOUR_MS],
      [10n ** 18n + 1n, HOUR_MS],
    ] as const) {
      await assert.rejects(raise(organizationId, amountNano, forMs), AccountError);
    }
    await assert.rejects(raise("org_nowhere", 1n, HOUR_MS), AccountError);
    const [budget] = await suite.store.listBudgets({ organizationId });
    assert.equal(budget?.raise, undefined);
  });
});
