// Contract: a new budget counts what was spent before it, also when those sums were read before the write that creates it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/base/time.ts";
import { TESTS } from "../../support/actor.ts";
import { BUDGET, organizationOf } from "./hold-fixtures.ts";
import { describeStore } from "./suite.ts";

const HOUR_MS = 60 * 60 * 1000;

export const testBudgetStart = describeStore("the start of a budget", (suite) => {
  test("a write sums only what was not summed before it", async () => {
    const org = await organizationOf(suite, "start", 10_000n);
    const spend = async (nano: number) => org.end((await org.begin(500n)).head, nano, 0);
    await spend(100);
    suite.clock.advance(3 * HOUR_MS);
    const { head: running } = await org.begin(500n);
    suite.clock.advance(3 * HOUR_MS);
    const { organizationId } = org.caller;
    const budget = { organizationId, name: BUDGET };
    const { hour, periods } = await suite.store.sumSpentBefore(budget);
    assert.deepEqual(periods, [{ periodFrom: 0, spentNano: 100n }]);
    await org.end(running, 20, 0);
    await spend(3);
    // One more than was spent shows that the write takes it as it is.
    const spentBefore = { hour, periods: [{ periodFrom: 0, spentNano: 101n }] };
    const made = await suite.store.setBudget({ ...budget, limitNano: 1000n, spentBefore, by: TESTS });
    assert.equal(made.spentNano, 124n);
  });

  for (const [name, laterMs] of [
    ["at once", 0],
    ["an hour later", HOUR_MS],
    ["a day later", DAY_MS],
    ["two months later", 60 * DAY_MS],
  ] as const) {
    test(`the books agree when the write comes ${name}, whatever has ended and begun meanwhile`, async () => {
      const org = await organizationOf(suite, `start-${laterMs}`, 100_000n);
      const { organizationId, keyId } = org.caller;
      for (const beforeMs of [0, 40 * DAY_MS, DAY_MS, HOUR_MS]) {
        suite.clock.advance(beforeMs);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await org.end((await org.begin(500n)).head, 100, 0);
      }
      const { head: running } = await org.begin(500n);
      suite.clock.advance(2 * HOUR_MS);
      await org.end((await org.begin(500n)).head, 10, 0);
      const { head: later } = await org.begin(500n);
      const names = [
        { scope: "organization", id: null, period: "day" },
        { scope: "organization", id: null, period: "month" },
        BUDGET,
        { scope: "organization-day", id: null, period: "day" },
        { scope: "member", id: org.memberId, period: "month" },
        { scope: "key", id: keyId, period: "total" },
        { scope: "response", id: null, period: "total" },
      ] as const;
      const sums = await Promise.all(
        names.map(async (each) => suite.store.sumSpentBefore({ organizationId, name: each })),
      );
      await org.end(running, 20, 0);
      suite.clock.advance(laterMs);
      await org.end((await org.begin(500n)).head, 30, 0);
      for (const [index, each] of names.entries()) {
        const spentBefore = sums[index];
        assert.ok(spentBefore);
        const set = { organizationId, name: each, limitNano: 50_000n, spentBefore, by: TESTS };
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await suite.store.setBudget(set);
      }
      await org.check();
      const spent = new Map(
        (await suite.store.listBudgets({ organizationId })).map((each) => [each.scope, each.spentNano]),
      );
      assert.equal(spent.get("key"), 460n);
      await org.end(later, 1000, 0);
      await org.check();
    });
  }

  test("a day that turns have seen before the clock was set back over midnight is complete", async () => {
    const org = await organizationOf(suite, "start-set-back", 100_000n);
    const { organizationId, keyId } = org.caller;
    const midnightMs = (Math.floor(suite.clock.nowMs() / DAY_MS) + 1) * DAY_MS;
    // A day with a charge and a hold, and one with a hold alone.
    suite.clock.advance(midnightMs - suite.clock.nowMs() + HOUR_MS);
    await org.end((await org.begin(500n)).head, 100, 0);
    await org.begin(40n);
    suite.clock.advance(DAY_MS);
    const { head: last } = await org.begin(7n);
    suite.clock.advance(-DAY_MS - 2 * HOUR_MS);
    const names = [
      { scope: "organization", id: null, period: "day" },
      { scope: "member", id: org.memberId, period: "day" },
      { scope: "key", id: keyId, period: "month" },
      { scope: "organization-day", id: null, period: "day" },
      BUDGET,
    ] as const;
    for (const [index, name] of names.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const spentBefore = await suite.store.sumSpentBefore({ organizationId, name });
      const set = { organizationId, name, limitNano: 50_000n, by: TESTS };
      // Summed before the write, and within it.
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await suite.store.setBudget(index % 2 === 0 ? { ...set, spentBefore } : set);
    }
    await org.check();
    suite.clock.advance(2 * HOUR_MS);
    const days = (await suite.store.listBudgets({ organizationId })).filter(({ period }) => period === "day");
    assert.deepEqual(
      days.map(({ spentNano, heldNano }) => [spentNano, heldNano]),
      days.map(() => [100n, 40n]),
    );
    await org.end(last, 5, 0);
    await org.check();
  });

  test("the sums name an unknown key or member as the write does", async () => {
    const org = await organizationOf(suite, "start-unknown", 0n);
    const { organizationId } = org.caller;
    for (const scope of ["key", "member"] as const) {
      const name = { scope, id: "nobody", period: "total" } as const;
      const message = new RegExp(`no ${scope} nobody`);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await assert.rejects(suite.store.sumSpentBefore({ organizationId, name }), message);
    }
  });
});
