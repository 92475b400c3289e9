// Contract: holds and charges that count against budgets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/base/time.ts";
import { TESTS } from "../../support/actor.ts";
import { endOf, settleOf } from "../fixtures.ts";
import { BUDGET, isUnknown, organizationOf } from "./hold-fixtures.ts";
import { describeStore } from "./suite.ts";
import { NO_USAGE } from "../../../src/contract/usage.ts";

export const testBudgetHolds = describeStore("holds against budgets", (suite) => {
  test("a response counts against each of its budgets and no other", async () => {
    const org = await organizationOf(suite, "counts", 10_000n);
    await org.setBudget({ scope: "organization", id: null, period: "month" }, 1000n);
    await org.setBudget({ scope: "organization-day", id: null, period: "day" }, 1000n);
    await org.setBudget({ scope: "member", id: org.memberId, period: "total" }, 1000n);
    await org.setBudget({ scope: "key", id: org.caller.keyId, period: "day" }, 1000n);
    const other = { ...org.caller, keyId: "key_counts_2" };
    await suite.store.createKey({
      by: TESTS,
      key: {
        id: other.keyId,
        organizationId: other.organizationId,
        memberId: null,
        name: "other",
        permission: "all",
        createdAt: 1,
        revokedAt: null,
      },
      secret: { lookup: "look_counts_2", hash: "h" },
    });
    const { head } = await org.begin(600n);
    const { head: second } = await org.begin(100n, { caller: other });
    await org.extend(head, 50n);
    assert.deepEqual(await org.budgets(), [
      [0n, 750n],
      [0n, 750n],
      [0n, 650n],
      [0n, 650n],
    ]);
    await org.check();
    await org.end(head, 200, 0);
    await org.end(second, 10, 45);
    assert.deepEqual(await org.budgets(), [
      [300n, 0n],
      [300n, 0n],
      [200n, 0n],
      [200n, 0n],
    ]);
    await org.check();
  });

  for (const [scope, period] of [
    ["organization", "total"],
    ["organization", "day"],
    ["organization-day", "day"],
    ["member", "month"],
    ["key", "total"],
  ] as const) {
    test(`a budget of ${scope} (${period}) lets a turn hold what it has left; with nothing left the turn is rejected and changes nothing`, async () => {
      const org = await organizationOf(suite, `rejected-${scope}-${period}`, 10_000n);
      const id = { key: org.caller.keyId, member: org.memberId }[scope as string] ?? null;
      await org.setBudget({ scope, id, period }, 1000n);
      const { head: spent } = await org.begin(300n);
      await org.end(spent, 300, 0);
      await org.begin(400n);
      const { head: last, outcome: begun } = await org.begin(301n);
      assert.deepEqual(begun, { kind: "begun", heldNano: 300n });
      const { head, outcome } = await org.begin(1n);
      const turn = { ownNano: 0n, neededNano: 1n };
      const shortage = {
        kind: "budget",
        scope,
        id,
        period,
        limitNano: 1000n,
        spentNano: 300n,
        heldNano: 700n,
        ...turn,
      } as const;
      assert.deepEqual(outcome, { kind: "shortage", shortage });
      assert.ok(await isUnknown(suite.store, head, org.caller));
      assert.equal(await org.left(), 9000n);
      assert.deepEqual(await org.budgets(), [[300n, 700n]]);
      // The held credits may come back: a response that costs nothing can begin.
      assert.equal((await org.begin(0n, { funds: null })).outcome.kind, "begun");
      await org.end(last, 301, 0);
      assert.equal((await org.begin(1000n)).outcome.kind, "shortage");
      await org.check();
    });

    test(`a budget of ${scope} (${period}) that is spent rejects a turn of a free model, its key included`, async () => {
      const org = await organizationOf(suite, `spent-${scope}-${period}`, 10_000n);
      const id = { key: org.caller.keyId, member: org.memberId }[scope as string] ?? null;
      await org.setBudget({ scope, id, period }, 300n);
      const { head: spent } = await org.begin(300n);
      await org.end(spent, 300, 0);
      const claim = { endpoint: "createResponse", key: "free", fingerprint: "f" };
      const { head, outcome } = await org.begin(0n, { funds: null, claim });
      const turn = { ownNano: 0n, neededNano: 0n };
      const shortage = {
        kind: "budget",
        scope,
        id,
        period,
        limitNano: 300n,
        spentNano: 300n,
        heldNano: 0n,
        ...turn,
      } as const;
      assert.deepEqual(outcome, { kind: "shortage", shortage });
      assert.ok(await isUnknown(suite.store, head, org.caller));
      await org.setBudget({ scope, id, period }, 301n);
      assert.equal((await org.begin(0n, { funds: null, claim })).outcome.kind, "begun");
      await org.check();
    });
  }

  test("budgets are checked before the balance, the narrowest first; the tightest bounds an extension", async () => {
    const org = await organizationOf(suite, "order", 500n);
    await org.setBudget({ scope: "organization", id: null, period: "total" }, 700n);
    await org.setBudget({ scope: "key", id: org.caller.keyId, period: "total" }, 700n);
    // The balance must cover the whole hold, whatever a budget leaves of it.
    const { outcome: poor } = await org.begin(701n);
    const shortage = { kind: "credits", creditsNano: 500n, heldNano: 0n, ownNano: 0n, neededNano: 701n } as const;
    assert.deepEqual(poor, { kind: "shortage", shortage });
    const { head } = await org.begin(400n);
    assert.equal((await org.extend(head, 101n)).shortage?.kind, "credits");
    assert.deepEqual(await org.extend(head, 100n, 1000n), { grantedNano: 100n, shortage: null });
    await org.topUp(1000n);
    assert.deepEqual(await org.extend(head, 100n, 1000n), { grantedNano: 150n, shortage: null });
    const { shortage: short } = await org.extend(head, 51n);
    assert.ok(short?.kind === "budget" && short.scope === "key");
    await org.extend(head, 50n);
    const { outcome } = await org.begin(10_000n);
    assert.ok(outcome.kind === "shortage" && outcome.shortage.kind === "budget" && outcome.shortage.scope === "key");
    await org.check();
  });

  test("the limit of a response bounds each hold and is not shared", async () => {
    const org = await organizationOf(suite, "response", 10_000n);
    await org.setBudget({ scope: "response", id: null, period: "total" }, 1000n);
    const { head, outcome } = await org.begin(600n);
    assert.deepEqual(outcome, { kind: "begun" });
    assert.deepEqual((await org.begin(1001n)).outcome, { kind: "begun", heldNano: 1000n });
    assert.deepEqual(await org.extend(head, 1n, 1000n), { grantedNano: 400n, shortage: null });
    assert.deepEqual(await org.extend(head, 1n), {
      grantedNano: 0n,
      shortage: {
        kind: "budget",
        scope: "response",
        id: null,
        period: "total",
        limitNano: 1000n,
        spentNano: 0n,
        heldNano: 1000n,
        ownNano: 1000n,
        neededNano: 1n,
      },
    });
    await org.setBudget({ scope: "response", id: null, period: "total" }, 0n);
    const { head: nothing, outcome: begun } = await org.begin(600n);
    assert.deepEqual(begun, { kind: "begun", heldNano: 0n });
    const end = endOf([], { status: "failed", usage: NO_USAGE });
    const charge = await suite.store.settleResponse(settleOf(nothing.id, [], end));
    assert.deepEqual(charge, { chargedNano: 0n, shortfallNano: 0n });
    await org.check();
  });

  test("a response counts on the day it began, however long it runs", async () => {
    const org = await organizationOf(suite, "midnight", 10_000n);
    const day = { scope: "organization-day", id: null, period: "day" } as const;
    await org.setBudget(day, 1000n);
    const { head } = await org.begin(600n);
    suite.clock.advance(DAY_MS);
    assert.deepEqual(await org.budgets(), [[0n, 0n]]);
    assert.equal((await org.begin(1000n)).outcome.kind, "begun");
    assert.deepEqual(await org.extend(head, 400n), { grantedNano: 400n, shortage: null });
    await org.end(head, 1000, 0);
    assert.deepEqual(await org.budgets(), [[0n, 1000n]]);
    await org.check();
  });

  test("a budget that is set while a response runs counts it, and clearing it disturbs no response", async () => {
    const org = await organizationOf(suite, "late", 10_000n);
    const { head } = await org.begin(600n);
    await org.setBudget(BUDGET, 1000n);
    assert.deepEqual(await org.budgets(), [[0n, 600n]]);
    assert.deepEqual(await org.extend(head, 400n), { grantedNano: 400n, shortage: null });
    await org.setBudget(BUDGET, 500n);
    assert.equal((await org.extend(head, 1n)).grantedNano, 0n);
    await org.end(head, 800, 0);
    assert.deepEqual(await org.budgets(), [[800n, 0n]]);
    await org.check();
    await org.setBudget(BUDGET, 1000n);
    const { head: second } = await org.begin(100n);
    await suite.store.clearBudget({ organizationId: org.caller.organizationId, name: BUDGET, by: TESTS });
    assert.deepEqual(await org.extend(second, 300n), { grantedNano: 300n, shortage: null });
    await org.end(second, 400, 0);
    await org.check();
  });

  test("a budget of zero lets no response begin", async () => {
    const org = await organizationOf(suite, "none", 10n);
    await org.setBudget(BUDGET, 0n);
    assert.equal((await org.begin(1n)).outcome.kind, "shortage");
    assert.equal((await org.begin(0n)).outcome.kind, "shortage");
    assert.equal((await org.begin(0n, { funds: null })).outcome.kind, "shortage");
    await org.check();
  });

  test("amounts beyond the safe integers of a number are exact", async () => {
    const credits = 900_719_925_474_099_301n;
    const org = await organizationOf(suite, "huge", credits);
    await org.setBudget(BUDGET, credits);
    const { head } = await org.begin(credits - 2n);
    assert.deepEqual(await org.extend(head, 2n), { grantedNano: 2n, shortage: null });
    assert.equal((await org.end(head, 3, 0))?.chargedNano, 3n);
    assert.equal(await org.left(), credits - 3n);
    await org.check();
  });
});
