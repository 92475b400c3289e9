// Contract: what a turn holds, what it is charged, and what counts against budgets.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BudgetName } from "../../../src/core/accounts/budgets.ts";
import type { TurnHead } from "../../../src/core/turn/turn.ts";
import type { BeginOutcome, TurnBegin } from "../../../src/ports/turns.ts";
import type { Store } from "../../../src/ports/store.ts";
import { TESTS } from "../../support/actor.ts";
import {
  ACME,
  answers,
  beginOf,
  endOf,
  headOf,
  NO_USAGE,
  type OpenStore,
  runTurn,
  says,
  settleOf,
  usage,
} from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";

/** One nano-credit a token of input, two a token of output; what a cache gives or takes costs the same as input. */
const PRICES = JSON.stringify({
  input: 1_000_000,
  cached_input: 1_000_000,
  cache_write: 1_000_000,
  output: 2_000_000,
  tiers: [],
});
const DAY_MS = 86_400_000;

/** An organization of one test, with a balance and a key, and what there is to do with it. */
async function organizationOf(suite: Suite, name: string, credits: bigint) {
  const { store } = suite;
  const [organizationId, keyId, memberId] = [`org_${name}`, `key_${name}`, `mem_${name}`];
  await store.createOrganization({ by: TESTS, id: organizationId, name, createdAt: 1 });
  const member = { id: memberId, organizationId, email: `${name}@a.test`, role: "member" } as const;
  await store.addMember({ by: TESTS, ...member, createdAt: 1 });
  const key = { id: keyId, organizationId, memberId, name: keyId, permission: "all", revokedAt: null } as const;
  const secret = { lookup: `look_${keyId}`, hash: `hash_${keyId}` };
  await store.createKey({ by: TESTS, key: { ...key, createdAt: 1 }, secret });
  let topUps = 0;
  const topUp = async (amountNano: bigint) => {
    const transactionId = `txn_${name}_${++topUps}`;
    await store.addCredits({ by: TESTS, transactionId, organizationId, amountNano, createdAt: 1 });
  };
  if (credits > 0n) await topUp(credits);
  const caller = { organizationId, keyId };
  return {
    caller,
    memberId,
    topUp,
    left: async () => (await store.findOrganization({ idOrName: organizationId }))?.creditsNano,
    setBudget: (budget: BudgetName, limitNano: bigint) =>
      store.setBudget({ organizationId, name: budget, limitNano, by: TESTS }),
    budgets: async () =>
      (await store.listBudgets({ organizationId })).map(({ spentNano, heldNano }) => [spentNano, heldNano]),
    begin: async (
      holdNano: bigint,
      more: Partial<TurnBegin> = {},
    ): Promise<{ head: TurnHead; outcome: BeginOutcome }> => {
      const head = headOf();
      const funds = { prices: PRICES, holdNano };
      return { head, outcome: await store.beginTurn(beginOf(head, { caller, funds, ...more })) };
    },
    end: ({ id }: TurnHead, input: number, output: number, status: "completed" | "failed" = "completed") =>
      store.settleTurn(settleOf(id, [says("q")], endOf([answers("a")], { status, usage: usage(input, output) }))),
    extend: ({ id }: TurnHead, wantedNano: bigint, leastNano = 1n) =>
      store.extendHold({ responseId: id, wantedNano, leastNano }),
    /** Nothing is recorded otherwise than the ledger's transfers say. */
    check: async () => {
      const { differences } = await store.reconcile({ organizationId });
      assert.deepEqual(differences, []);
    },
  };
}

const BUDGET = { scope: "organization", id: null, period: "total" } as const;

async function isUnknown(store: Store, { id }: TurnHead, caller = ACME): Promise<boolean> {
  return (await store.readTurn({ caller, responseId: id })) === null;
}

export function testHolds(open: OpenStore): void {
  describeStore("holds", open, (suite) => {
    test("what a turn holds is not there to be spent; what it does not use comes back", async () => {
      const org = await organizationOf(suite, "comes-back", 1000n);
      const { head, outcome } = await org.begin(600n);
      assert.deepEqual(outcome, { kind: "begun" });
      assert.equal(await org.left(), 400n);
      await org.check();
      assert.deepEqual(await org.end(head, 100, 50), { chargedNano: 200n, shortfallNano: 0n });
      assert.equal(await org.left(), 800n);
      await org.check();
    });

    test("a turn that is settled once is charged once", async () => {
      const org = await organizationOf(suite, "once", 1000n);
      const { head } = await org.begin(600n);
      const charges = await Promise.all([org.end(head, 10, 0), org.end(head, 20, 0), org.end(head, 30, 0)]);
      assert.deepEqual(charges, [{ chargedNano: 10n, shortfallNano: 0n }, null, null]);
      assert.equal(await org.left(), 990n);
      await org.check();
    });

    test("a turn whose hold is more than the balance leaves no trace, its key included", async () => {
      const org = await organizationOf(suite, "poor", 599n);
      const claim = { endpoint: "createResponse", key: "k", fingerprint: "f" };
      const { head, outcome } = await org.begin(600n, { claim });
      const shortage = { kind: "credits", creditsNano: 599n, neededNano: 600n } as const;
      assert.deepEqual(outcome, { kind: "refused", shortage });
      assert.ok(await isUnknown(suite.store, head, org.caller));
      const { organizationId } = org.caller;
      assert.equal(await suite.store.findClaim({ organizationId, endpoint: claim.endpoint, key: claim.key }), null);
      assert.equal((await org.begin(599n, { claim: { ...claim, fingerprint: "g" } })).outcome.kind, "begun");
      assert.equal((await org.begin(599n, { claim: { ...claim, fingerprint: "g" } })).outcome.kind, "claimed");
      await org.check();
    });

    test("a withdrawn turn returns all it held, and is counted nowhere", async () => {
      const org = await organizationOf(suite, "withdrawn", 1000n);
      await org.setBudget(BUDGET, 1000n);
      const { head } = await org.begin(600n);
      await org.extend(head, 100n);
      assert.deepEqual(await org.budgets(), [[0n, 700n]]);
      assert.equal(await suite.store.withdrawTurn({ responseId: head.id }), true);
      assert.equal(await org.left(), 1000n);
      assert.deepEqual(await org.budgets(), [[0n, 0n]]);
      const { organizationId } = org.caller;
      const rows = await suite.store.readUsage({ organizationId, by: null, fromDay: null, toDay: null });
      assert.equal(rows[0]?.responses, 0);
      await org.check();
    });

    test("a turn that used nothing is charged nothing", async () => {
      const org = await organizationOf(suite, "nothing", 1000n);
      const { head } = await org.begin(600n);
      const end = endOf([], { status: "failed", usage: NO_USAGE });
      const nothing = { chargedNano: 0n, shortfallNano: 0n };
      assert.deepEqual(await suite.store.settleTurn(settleOf(head.id, [], end)), nothing);
      assert.equal(await org.left(), 1000n);
      await org.check();
    });

    test("a turn of a free model holds nothing and counts as usage", async () => {
      const org = await organizationOf(suite, "free", 0n);
      await runTurn(suite.store, { begin: { caller: org.caller } });
      const { organizationId } = org.caller;
      const [sums] = await suite.store.readUsage({ organizationId, by: null, fromDay: null, toDay: null });
      assert.deepEqual([sums?.responses, sums?.inputTokens, sums?.chargedNano], [1, 10, 0n]);
      await org.check();
    });

    test("a charge above its hold is taken from the balance, and the service bears what that cannot pay", async () => {
      const org = await organizationOf(suite, "above", 1000n);
      const { head } = await org.begin(300n);
      assert.deepEqual(await org.end(head, 700, 100), { chargedNano: 900n, shortfallNano: 0n });
      assert.equal(await org.left(), 100n);
      const { head: next } = await org.begin(50n);
      assert.deepEqual(await org.end(next, 500, 0), { chargedNano: 500n, shortfallNano: 400n });
      assert.equal(await org.left(), 0n);
      await org.check();
    });

    test("an extension takes what is wanted, or what is left, or nothing below the least", async () => {
      const org = await organizationOf(suite, "extends", 1000n);
      const { head } = await org.begin(600n);
      assert.deepEqual(await org.extend(head, 300n), { grantedNano: 300n, shortage: null });
      assert.deepEqual(await org.extend(head, 300n, 101n), {
        grantedNano: 0n,
        shortage: { kind: "credits", creditsNano: 100n, neededNano: 101n },
      });
      assert.deepEqual(await org.extend(head, 300n, 100n), { grantedNano: 100n, shortage: null });
      assert.equal(await org.left(), 0n);
      assert.equal((await org.extend(head, 300n)).shortage?.kind, "credits");
      await org.topUp(5n);
      assert.deepEqual(await org.extend(head, 300n), { grantedNano: 5n, shortage: null });
      await org.check();
      await org.end(head, 1005, 0);
      await org.check();
      assert.deepEqual(await org.extend(head, 300n), { grantedNano: 0n, shortage: null });
    });

    test("a turn counts against each of its budgets, and no other", async () => {
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
      test(`a turn that a budget of ${scope} (${period}) has too little left for is refused, and changes nothing`, async () => {
        const org = await organizationOf(suite, `refused-${scope}-${period}`, 10_000n);
        const id = { key: org.caller.keyId, member: org.memberId }[scope as string] ?? null;
        await org.setBudget({ scope, id, period }, 1000n);
        const { head: spent } = await org.begin(300n);
        await org.end(spent, 300, 0);
        await org.begin(400n);
        const { head, outcome } = await org.begin(301n);
        const shortage = { kind: "budget", scope, period, limitNano: 1000n, spentNano: 300n, heldNano: 400n } as const;
        assert.deepEqual(outcome, { kind: "refused", shortage: { ...shortage, neededNano: 301n } });
        assert.ok(await isUnknown(suite.store, head, org.caller));
        assert.equal(await org.left(), 9300n);
        assert.deepEqual(await org.budgets(), [[300n, 400n]]);
        assert.equal((await org.begin(300n)).outcome.kind, "begun");
        await org.check();
      });
    }

    test("budgets are asked before the balance, the narrowest first; the tightest bounds an extension", async () => {
      const org = await organizationOf(suite, "order", 500n);
      await org.setBudget({ scope: "organization", id: null, period: "total" }, 700n);
      await org.setBudget({ scope: "key", id: org.caller.keyId, period: "total" }, 700n);
      const { outcome } = await org.begin(701n);
      assert.ok(outcome.kind === "refused" && outcome.shortage.kind === "budget" && outcome.shortage.scope === "key");
      assert.ok((await org.begin(600n)).outcome.kind === "refused");
      const { head } = await org.begin(400n);
      assert.deepEqual(await org.extend(head, 1000n), { grantedNano: 100n, shortage: null });
      await org.topUp(1000n);
      assert.deepEqual(await org.extend(head, 1000n), { grantedNano: 200n, shortage: null });
      const { shortage } = await org.extend(head, 1000n);
      assert.ok(shortage?.kind === "budget" && shortage.scope === "key");
      await org.check();
    });

    test("the limit of a response bounds what each holds, and is told when it begins", async () => {
      const org = await organizationOf(suite, "response", 10_000n);
      await org.setBudget({ scope: "response", id: null, period: "total" }, 1000n);
      const { head, outcome } = await org.begin(600n);
      assert.deepEqual(outcome, { kind: "begun", responseLimitNano: 1000n });
      assert.equal((await org.begin(600n)).outcome.kind, "begun");
      assert.deepEqual(await org.extend(head, 1000n), { grantedNano: 400n, shortage: null });
      assert.deepEqual(await org.extend(head, 1000n), {
        grantedNano: 0n,
        shortage: {
          kind: "budget",
          scope: "response",
          period: "total",
          limitNano: 1000n,
          spentNano: 0n,
          heldNano: 1000n,
          neededNano: 1n,
        },
      });
      await org.check();
    });

    test("a turn counts to the day it began, however long it runs", async () => {
      const org = await organizationOf(suite, "midnight", 10_000n);
      const day = { scope: "organization-day", id: null, period: "day" } as const;
      await org.setBudget(day, 1000n);
      const { head } = await org.begin(600n);
      suite.clock.advance(DAY_MS);
      assert.deepEqual(await org.budgets(), [[0n, 0n]]);
      assert.equal((await org.begin(1000n)).outcome.kind, "begun");
      assert.deepEqual(await org.extend(head, 1000n), { grantedNano: 400n, shortage: null });
      await org.end(head, 1000, 0);
      assert.deepEqual(await org.budgets(), [[0n, 1000n]]);
      await org.check();
    });

    test("a budget that is set while a turn runs counts it, and one that is cleared is missed by nobody", async () => {
      const org = await organizationOf(suite, "late", 10_000n);
      const { head } = await org.begin(600n);
      await org.setBudget(BUDGET, 1000n);
      assert.deepEqual(await org.budgets(), [[0n, 600n]]);
      assert.deepEqual(await org.extend(head, 1000n), { grantedNano: 400n, shortage: null });
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

    test("a budget of nothing lets nothing begin but what holds nothing", async () => {
      const org = await organizationOf(suite, "none", 10n);
      await org.setBudget(BUDGET, 0n);
      assert.equal((await org.begin(1n)).outcome.kind, "refused");
      assert.equal((await org.begin(0n)).outcome.kind, "begun");
      await org.check();
    });

    test("amounts beyond what a number holds are exact", async () => {
      const credits = 900_719_925_474_099_301n;
      const org = await organizationOf(suite, "huge", credits);
      await org.setBudget(BUDGET, credits);
      const { head } = await org.begin(credits - 2n);
      assert.deepEqual(await org.extend(head, 10n), { grantedNano: 2n, shortage: null });
      assert.equal((await org.end(head, 3, 0))?.chargedNano, 3n);
      assert.equal(await org.left(), credits - 3n);
      await org.check();
    });
  });
}
