// Law: with money for exactly N responses, exactly N of 10 N simultaneous responses begin, and the balance is never
// below zero. docs/reliability.md, I-13 to I-15; docs/decisions/tests.md, G-10
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BudgetName } from "../../src/core/money/budgets.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { TESTS } from "../support/actor.ts";
import { credits, PRICED_MODELS, Purse } from "../support/money.ts";
import { FINISHED, gate } from "../support/scripted-provider.ts";
import { withService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { answers, beginOf, endOf, headOf, says, settleOf } from "../store/fixtures.ts";
import { openFor } from "../store/sqlite-files.ts";

const TRIALS = 200;
const HOLD = 1001n;
const PRICES = JSON.stringify({ input: 1e6, cached_input: 1e6, cache_write: 1e6, output: 1e6, tiers: [] });

/** The bound of a trial: the balance, or a budget of this scope. */
const BOUNDS = [null, "organization", "organization-day", "member", "key"] as const;

async function openOrganization(store: Store, name: string) {
  const [organizationId, keyId, memberId] = [`org_${name}`, `key_${name}`, `mem_${name}`];
  await store.createOrganization({ by: TESTS, id: organizationId, name, createdAt: 1 });
  await store.addMember({ by: TESTS, id: memberId, organizationId, email: "a@b.test", role: "member", createdAt: 1 });
  const key = { id: keyId, organizationId, memberId, name: keyId, permission: "all", revokedAt: null } as const;
  await store.createKey({ by: TESTS, key: { ...key, createdAt: 1 }, secret: { lookup: name, hash: name } });
  return { organizationId, keyId, memberId };
}

/** Reads an amount repeatedly until stopped; the stop resolves to the lowest value read. */
function watch(look: () => Promise<bigint>): () => Promise<bigint> {
  const watched = { isOver: false };
  const watching = (async () => {
    let low = await look();
    while (!watched.isOver) {
      const seen = await look();
      if (seen < low) low = seen;
      await new Promise(setImmediate);
    }
    return low;
  })();
  return () => {
    watched.isOver = true;
    return watching;
  };
}

test(`money for N turns, 10 N at once: N begin, in each of ${TRIALS} trials`, async (t) => {
  const { store } = await openFor(t);
  for (let trial = 0; trial < TRIALS; trial++) {
    const turns = 1 + (trial % 4);
    const bound = BOUNDS[trial % BOUNDS.length] ?? null;
    const { organizationId, keyId, memberId } = await openOrganization(store, `trial_${trial}`);
    const enough = BigInt(turns) * HOLD + (HOLD - 1n);
    const add = { by: TESTS, organizationId, transactionId: `txn_${trial}`, createdAt: 1 };
    await store.addCredits({ ...add, amountNano: bound === null ? enough : 1000n * HOLD });
    if (bound !== null) {
      const id = { member: memberId, key: keyId }[bound as string] ?? null;
      const name: BudgetName = { scope: bound, id, period: bound === "organization-day" ? "day" : "total" };
      await store.setBudget({ by: TESTS, organizationId, name, limitNano: enough });
    }
    const left = async () => (await store.findOrganization({ idOrName: organizationId }))?.creditsNano ?? -1n;
    const lowest = watch(left);
    const heads = Array.from({ length: 10 * turns }, () => headOf());
    const caller = { organizationId, keyId };
    const funds = { prices: PRICES, holdNano: HOLD };
    const outcomes = await Promise.all(
      heads.map(async (head) => ({ head, outcome: await store.beginResponse(beginOf(head, { caller, funds })) })),
    );
    const begun = outcomes.filter(({ outcome }) => outcome.kind === "begun");
    // One more begins on the rest of a budget, a nano-credit less than a hold.
    assert.equal(begun.length, bound === null ? turns : turns + 1, `trial ${trial}, ${bound ?? "balance"}`);
    for (const { outcome } of outcomes) {
      if (outcome.kind === "begun") continue;
      assert.ok(outcome.kind === "shortage" && outcome.shortage.kind === (bound === null ? "credits" : "budget"));
    }
    // All extend by more than there is, and settle at the same time.
    await Promise.all(
      begun.flatMap(({ head: { id }, outcome }) => [
        store.extendHold({
          responseId: id,
          heldNano: (outcome.kind === "begun" ? outcome.heldNano : undefined) ?? HOLD,
          neededNano: HOLD,
          aheadNano: HOLD,
        }),
        store.settleResponse(settleOf(id, [says("q")], endOf([answers("a")]))),
      ]),
    );
    assert.ok((await lowest()) >= 0n);
    const { differences } = await store.reconcile({ organizationId });
    assert.deepEqual(differences, []);
  }
});

for (const [name, bound] of [
  ["credits", null],
  ["a budget", { scope: "organization", id: null, period: "total" }],
] as const) {
  test(`over HTTP: ${name} for N turns, 10 N at once: N run (of a budget one more, on its rest), nothing is overspent`, async () => {
    await withService({ models: PRICED_MODELS }, async (service) => {
      for (const whole of [1, 3, 5]) {
        const turns = bound === null ? whole : whole + 1;
        const purse = await Purse.open(service, bound === null ? 100.1 * whole + 50 : 100_000);
        if (bound !== null) await purse.setBudget(bound, 100.1 * whole + 50);
        const { opened, open } = gate();
        service.provider.plays(...Array.from({ length: turns }, () => [opened, FINISHED]));
        const lowest = watch(async () => (await purse.balance()).credits);
        const callsBefore = service.provider.calls.length;
        let rejected = 0;
        const creates = Array.from({ length: 10 * turns }, async (_, index) => {
          const reply = await purse.create({ input: "Hi", stream: index % 2 === 0 });
          if (reply.status !== 200) rejected++;
          return reply;
        });
        await until("all others are rejected", () => rejected === 9 * turns);
        const held = bound === null ? 100.1 * whole : 100.1 * whole + 50;
        assert.equal((await purse.balance()).held, credits(held));
        open();
        const replies = await Promise.all(creates);
        const codes = new Set(replies.filter(({ status }) => status !== 200).map(({ json }) => json.error.code));
        assert.deepEqual([...codes], [bound === null ? "insufficient_credits" : "scope_budget_exceeded"]);
        assert.equal(service.provider.calls.length - callsBefore, turns);
        assert.ok((await lowest()) >= 0n);
        await purse.agrees(credits(1.32) * BigInt(turns));
      }
    });
  });
}
