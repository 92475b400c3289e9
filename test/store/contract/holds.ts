// Contract: holds and charges of responses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf, runResponse, settleOf, usage } from "../fixtures.ts";
import { BUDGET, isUnknown, organizationOf } from "./hold-fixtures.ts";
import { describeStore } from "./suite.ts";
import { NO_USAGE } from "../../../src/contract/usage.ts";

export const testHolds = describeStore("holds", (suite) => {
  test("held credits cannot be spent; unused ones are released", async () => {
    const org = await organizationOf(suite, "comes-back", 1000n);
    const { head, outcome } = await org.begin(600n);
    assert.deepEqual(outcome, { kind: "begun" });
    assert.equal(await org.left(), 400n);
    await org.check();
    assert.deepEqual(await org.end(head, 100, 50), { chargedNano: 200n, shortfallNano: 0n });
    assert.equal(await org.left(), 800n);
    await org.check();
  });

  test("a response that is settled once is charged once", async () => {
    const org = await organizationOf(suite, "once", 1000n);
    const { head } = await org.begin(600n);
    const amounts = [10, 20, 30];
    const charges = await Promise.all(amounts.map((amount) => org.end(head, amount, 0)));
    const charged = amounts.filter((_, at) => charges[at] !== null).map(BigInt);
    assert.equal(charged.length, 1);
    assert.deepEqual(charges.filter(Boolean), [{ chargedNano: charged[0], shortfallNano: 0n }]);
    assert.equal(await org.left(), 1000n - charged[0]!);
    await org.check();
  });

  test("a response whose hold is more than the balance leaves no trace, its key included", async () => {
    const org = await organizationOf(suite, "poor", 599n);
    const claim = { endpoint: "createResponse", key: "k", fingerprint: "f" };
    const { head, outcome } = await org.begin(600n, { claim });
    const shortage = { kind: "credits", creditsNano: 599n, heldNano: 0n, ownNano: 0n, neededNano: 600n } as const;
    assert.deepEqual(outcome, { kind: "shortage", shortage });
    assert.ok(await isUnknown(suite.store, head, org.caller));
    const { organizationId } = org.caller;
    assert.equal(await suite.store.findClaim({ organizationId, endpoint: claim.endpoint, key: claim.key }), null);
    assert.equal((await org.begin(599n, { claim: { ...claim, fingerprint: "g" } })).outcome.kind, "begun");
    assert.equal((await org.begin(599n, { claim: { ...claim, fingerprint: "g" } })).outcome.kind, "claimed");
    await org.check();
  });

  test("a withdrawn response releases its whole hold and counts nowhere", async () => {
    const org = await organizationOf(suite, "withdrawn", 1000n);
    await org.setBudget(BUDGET, 1000n);
    const { head } = await org.begin(600n);
    await org.extend(head, 100n);
    assert.deepEqual(await org.budgets(), [[0n, 700n]]);
    assert.equal(await suite.store.withdrawResponse({ responseId: head.id }), true);
    assert.equal(await org.left(), 1000n);
    assert.deepEqual(await org.budgets(), [[0n, 0n]]);
    const { organizationId } = org.caller;
    const rows = await suite.store.readUsage({ organizationId, by: [], fromDay: null, toDay: null, limit: 1 });
    assert.equal(rows[0]?.responses, 0);
    await org.check();
  });

  test("a response that used nothing is charged nothing", async () => {
    const org = await organizationOf(suite, "nothing", 1000n);
    const { head } = await org.begin(600n);
    const end = endOf([], { status: "failed", usage: NO_USAGE });
    const nothing = { chargedNano: 0n, shortfallNano: 0n };
    assert.deepEqual(await suite.store.settleResponse(settleOf(head.id, [], end)), nothing);
    assert.equal(await org.left(), 1000n);
    await org.check();
  });

  test("a response of a free model holds nothing and counts as usage", async () => {
    const org = await organizationOf(suite, "free", 0n);
    await runResponse(suite.store, { begin: { caller: org.caller } });
    const { organizationId } = org.caller;
    const [sums] = await suite.store.readUsage({ organizationId, by: [], fromDay: null, toDay: null, limit: 1 });
    assert.deepEqual([sums?.responses, sums?.inputTokens, sums?.chargedNano], [1, 10, 0n]);
    await org.check();
  });

  test("a charge above its hold is taken from the balance, and the service bears the rest", async () => {
    const org = await organizationOf(suite, "above", 1000n);
    const { head } = await org.begin(300n);
    assert.deepEqual(await org.end(head, 700, 100), { chargedNano: 900n, shortfallNano: 0n });
    assert.equal(await org.left(), 100n);
    const { head: next } = await org.begin(50n);
    assert.deepEqual(await org.end(next, 500, 0), { chargedNano: 500n, shortfallNano: 400n });
    assert.equal(await org.left(), 0n);
    await org.check();
  });

  test("an extension grants the needed amount whole or not at all, and ahead of it at most half of the rest", async () => {
    const org = await organizationOf(suite, "extends", 1000n);
    const { head } = await org.begin(600n);
    assert.deepEqual(await org.extend(head, 100n, 100n), { grantedNano: 200n, shortage: null });
    assert.deepEqual(await org.extend(head, 100n, 51n), { grantedNano: 150n, shortage: null });
    assert.deepEqual(await org.extend(head, 0n, 100n), { grantedNano: 25n, shortage: null });
    assert.deepEqual(await org.extend(head, 26n, 100n), {
      grantedNano: 0n,
      shortage: { kind: "credits", creditsNano: 25n, heldNano: 975n, ownNano: 975n, neededNano: 26n },
    });
    assert.deepEqual(await org.extend(head, 25n, 100n), { grantedNano: 25n, shortage: null });
    assert.equal(await org.left(), 0n);
    assert.deepEqual(await org.extend(head, 0n, 100n), { grantedNano: 0n, shortage: null });
    assert.equal((await org.extend(head, 1n)).shortage?.kind, "credits");
    await org.topUp(5n);
    assert.deepEqual(await org.extend(head, 5n), { grantedNano: 5n, shortage: null });
    await org.check();
    await org.end(head, 1005, 0);
    await org.check();
    assert.deepEqual(await org.extend(head, 300n), { grantedNano: 0n, shortage: null });
  });

  test("an extension whose outcome got lost is granted to the response that asks again, and takes nothing more", async () => {
    const org = await organizationOf(suite, "asks-again", 1000n);
    const { head } = await org.begin(300n);
    const first = { responseId: head.id, heldNano: 300n, neededNano: 100n, aheadNano: 50n };
    const granted = { grantedNano: 150n, shortage: null };
    assert.deepEqual(await suite.store.extendHold(first), granted);
    assert.deepEqual(await suite.store.extendHold(first), granted);
    assert.equal(await org.left(), 550n);
    // It needs more by now.
    const later = { ...first, neededNano: 170n, aheadNano: 0n };
    assert.deepEqual(await suite.store.extendHold(later), { grantedNano: 170n, shortage: null });
    assert.equal(await org.left(), 530n);
    assert.equal((await suite.store.extendHold({ ...first, neededNano: 1000n })).shortage?.kind, "credits");
    await org.check();
  });

  test("a released part of a hold is available to others, in its budgets too; the whole hold is never released", async () => {
    const org = await organizationOf(suite, "gives-back", 1000n);
    await org.setBudget(BUDGET, 900n);
    const { head } = await org.begin(600n);
    await org.release(head, 250n);
    assert.deepEqual([await org.left(), await org.budgets()], [650n, [[0n, 350n]]]);
    await org.check();
    await org.release(head, 350n);
    assert.deepEqual([await org.left(), await org.budgets()], [650n, [[0n, 350n]]]);
    await org.release(head, 349n);
    await org.extend(head, 99n);
    assert.deepEqual([await org.left(), await org.budgets()], [900n, [[0n, 100n]]]);
    await org.check();
    assert.deepEqual(await org.end(head, 130, 0), { chargedNano: 130n, shortfallNano: 0n });
    await org.release(head, 1n);
    assert.equal(await org.left(), 870n);
    await org.check();
  });

  test("a response that is settled with other prices is charged by those, and the books agree", async () => {
    const org = await organizationOf(suite, "targets", 1000n);
    const [free, price] = [0, 3_000_000].map((input) =>
      JSON.stringify({ input, cached_input: input, cache_write: input, output: 0, tiers: [] }),
    );
    for (const [prices, chargedNano] of [
      [price, 90n],
      [free, 0n],
      [null, 30n],
    ] as const) {
      const { head } = await org.begin(200n);
      const ranAt = { target: "a/m", attempts: [], reasoning: null };
      const settle = settleOf(head.id, [], endOf([], { usage: usage(30, 0), ...(prices === null ? {} : { ranAt }) }));
      const charge = await suite.store.settleResponse({ ...settle, prices: prices ?? null });
      assert.deepEqual(charge, { chargedNano, shortfallNano: 0n });
      const stored = await suite.store.readResponse({ caller: org.caller, responseId: head.id });
      assert.deepEqual(stored?.end?.ranAt, prices === null ? undefined : ranAt);
      await org.check();
    }
    assert.equal(await org.left(), 880n);
  });
});
