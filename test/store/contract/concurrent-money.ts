// Contract: money that many concurrent calls move. An engine may write their sums together; each still sees what
// the others did, and one that fails moves nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import { TESTS } from "../../support/actor.ts";
import { BUDGET, organizationOf } from "./hold-fixtures.ts";
import { describeStore } from "./suite.ts";

const KEY_DAY = { scope: "key", period: "day" } as const;

export const testConcurrentMoney = describeStore("concurrent money", (suite) => {
  const all = <Result>(count: number, start: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, (_, index) => start(index)));

  test("of responses that begin together, as many as the balance pays for are admitted", async () => {
    const { begin, left, check } = await organizationOf(suite, "together", 35n);
    const begun = await all(20, () => begin(10n));
    assert.equal(begun.filter(({ outcome }) => outcome.kind === "begun").length, 3);
    for (const { outcome } of begun) {
      if (outcome.kind === "begun") continue;
      assert.deepEqual(outcome, {
        kind: "shortage",
        shortage: { kind: "credits", creditsNano: 5n, heldNano: 30n, ownNano: 0n, neededNano: 10n },
      });
    }
    assert.equal(await left(), 5n);
    await check();
  });

  test("and as many as a budget has left", async () => {
    const { begin, setBudget, budgets, check } = await organizationOf(suite, "budgeted", 1000n);
    await setBudget(BUDGET, 45n);
    const begun = await all(20, () => begin(10n));
    // The fifth holds what is left, and no more.
    const held = begun.map(({ outcome }) => (outcome.kind === "begun" ? (outcome.heldNano ?? 10n) : 0n));
    assert.deepEqual(
      held.filter((amount) => amount > 0n).toSorted((one, other) => Number(other - one)),
      [10n, 10n, 10n, 10n, 5n],
    );
    assert.deepEqual(await budgets(), [[0n, 45n]]);
    await check();
  });

  test("begins, extensions, releases, ends and withdrawals at once leave books that agree", async () => {
    const { begin, end, extend, release, caller, setBudget, budgets, left, check } = await organizationOf(
      suite,
      "mixed",
      100_000n,
    );
    await setBudget(BUDGET, 90_000n);
    await setBudget({ ...KEY_DAY, id: caller.keyId }, 80_000n);
    const running = await all(30, () => begin(100n));
    await Promise.all([
      ...running.slice(0, 10).map(({ head }) => end(head, 20, 10)),
      ...running.slice(10, 15).map(({ head }) => end(head, 5, 0, "failed")),
      ...running.slice(15, 20).map(({ head }) => suite.store.withdrawResponse({ responseId: head.id })),
      ...running.slice(20, 25).map(({ head }) => extend(head, 50n)),
      ...running.slice(25, 30).map(({ head }) => release(head, 30n)),
      ...Array.from({ length: 10 }, () => begin(10n)),
    ]);
    const spentNano = 10n * 40n + 5n * 5n;
    const heldNano = 5n * 150n + 5n * 70n + 10n * 10n;
    assert.deepEqual(await budgets(), [
      [spentNano, heldNano],
      [spentNano, heldNano],
    ]);
    assert.equal(await left(), 100_000n - spentNano - heldNano);
    const [used] = await suite.store.readUsage({ ...caller, by: [], fromDay: null, toDay: null, limit: 1 });
    assert.deepEqual([used?.responses, used?.inputTokens, used?.chargedNano], [15, 225, spentNano]);
    await check();
  });

  test("a call that fails among responses moves nothing, and theirs is kept", async () => {
    const { begin, end, caller, left, setBudget, budgets, check } = await organizationOf(suite, "failing", 1000n);
    await setBudget(BUDGET, 900n);
    const { head } = await begin(100n);
    const { organizationId } = caller;
    const tooMuch = { by: TESTS, transactionId: "txn_failing_x", organizationId, amountNano: 0n, createdAt: 1 };
    const [, failed, twice] = await Promise.allSettled([
      all(5, () => begin(10n)),
      suite.store.addCredits(tooMuch),
      // Its id is taken: it fails after its hold.
      begin(10n, { head }),
      end(head, 10, 10),
      all(5, () => begin(10n)),
    ]);
    assert.ok(failed.status === "rejected" && failed.reason instanceof AccountError);
    assert.equal(twice.status, "rejected");
    assert.deepEqual(await budgets(), [[30n, 100n]]);
    assert.equal(await left(), 1000n - 30n - 100n);
    await check();
  });

  test("a budget that is set, lowered or cleared among responses counts what they did", async () => {
    const { begin, end, caller, setBudget, budgets, check } = await organizationOf(suite, "changing", 10_000n);
    const { organizationId } = caller;
    const { head } = await begin(100n);
    await Promise.all([all(3, () => begin(10n)), setBudget(BUDGET, 5000n), end(head, 10, 10), begin(10n)]);
    assert.deepEqual(await budgets(), [[30n, 40n]]);
    await check();
    await Promise.all([begin(10n), suite.store.clearBudget({ organizationId, name: BUDGET, by: TESTS }), begin(10n)]);
    assert.deepEqual(await budgets(), []);
    await check();
  });

  test("a topped-up balance pays for responses that begin behind the top-up", async () => {
    const { begin, topUp, left, check } = await organizationOf(suite, "topped", 5n);
    const first = begin(10n);
    const posted = topUp(50n);
    await Promise.all([first, posted]);
    const begun = await all(10, () => begin(10n));
    const admitted = [await first, ...begun].filter(({ outcome }) => outcome.kind === "begun").length;
    assert.equal(admitted, 5);
    assert.equal(await left(), 5n);
    await check();
  });
});
