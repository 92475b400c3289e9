// Contract: the spending of a key, for its holder.
import assert from "node:assert/strict";
import { test } from "node:test";
import { billingDayOf, firstDayAfter, firstDayOf } from "../../../src/core/money/billing-day.ts";
import { TESTS } from "../../support/actor.ts";
import { openBooks } from "./spending-books.ts";
import { describeStore } from "./suite.ts";

export const testKeySpending = describeStore("the spending of a key", (suite) => {
  test("its own usage, and the budgets of the key, its member and its organization", async () => {
    const { store, clock } = suite;
    const books = await openBooks(suite, 1000n);
    const [other = "", key = ""] = books.keys;
    const today = billingDayOf(clock.nowMs());
    const caller = { organizationId: books.whose.organizationId, keyId: key };
    const none = await store.readKeySpending({ caller });
    assert.deepEqual([none?.today.responses, none?.month.chargedNano, none?.budgets], [0, 0n, []]);

    const set = (scope: "key" | "member" | "organization" | "response", id: string | null, limitNano: bigint) => {
      const period = scope === "response" ? "total" : "month";
      return store.setBudget({ ...books.whose, name: { scope, id, period }, limitNano, by: TESTS });
    };
    await set("key", other, 9n);
    await set("organization", null, 500n);
    await set("member", books.memberId, 400n);
    await set("key", key, 300n);
    await set("response", null, 200n);
    await books.settle(await books.begin({ key: 1, holdNano: 100n }), 30, 40);
    await books.begin({ key: 1, holdNano: 50n });
    await books.settle(await books.begin({ key: 0, holdNano: 5n }), 1, 1);
    const spending = await store.readKeySpending({ caller });
    assert.deepEqual([spending?.today.chargedNano, spending?.month.responses], [70n, 1]);
    const resetsOnDay = firstDayAfter("month", firstDayOf("month", today));
    assert.deepEqual(spending?.budgets, [
      { scope: "response", period: "total", limitNano: 200n, leftNano: 200n, heldNano: 0n, resetsOnDay: null },
      { scope: "key", period: "month", limitNano: 300n, leftNano: 180n, heldNano: 50n, resetsOnDay },
      { scope: "member", period: "month", limitNano: 400n, leftNano: 280n, heldNano: 50n, resetsOnDay },
      { scope: "organization", period: "month", limitNano: 500n, leftNano: 378n, heldNano: 50n, resetsOnDay },
    ]);
  });

  test("a revoked key and a key of another organization have none", async () => {
    const { store } = suite;
    const books = await openBooks(suite, 10n);
    const [keyId = ""] = books.keys;
    assert.equal(await store.readKeySpending({ caller: { organizationId: "org_other", keyId } }), null);
    await store.revokeKey({ by: TESTS, keyId, revokedAt: 1 });
    assert.equal(await store.readKeySpending({ caller: { ...books.whose, keyId } }), null);
  });
});
