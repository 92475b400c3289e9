// Organizations for the tests of holds and budgets.
import assert from "node:assert/strict";
import type { BudgetName } from "../../../src/core/money/budgets.ts";
import type { ResponseHead } from "../../../src/core/response/response.ts";
import type { BeginOutcome, ResponseBegin } from "../../../src/ports/store/responses.ts";
import type { Store } from "../../../src/ports/store/store.ts";
import { TESTS } from "../../support/actor.ts";
import { ACME, answers, beginOf, endOf, headOf, says, settleOf, usage } from "../fixtures.ts";
import type { Suite } from "./suite.ts";

/** One nano-credit per input token, two per output token; cached tokens cost the same as input. */
export const PRICES = JSON.stringify({
  input: 1_000_000,
  cached_input: 1_000_000,
  cache_write: 1_000_000,
  output: 2_000_000,
  tiers: [],
});

/** A test's own organization with a balance and a key, and helpers for it. */
export async function organizationOf(suite: Suite, name: string, credits: bigint) {
  const { store } = suite;
  const [organizationId, keyId, memberId] = [`org_${name}`, `key_${name}`, `mem_${name}`];
  await store.createOrganization({ by: TESTS, id: organizationId, name, createdAt: 1 });
  const member = { id: memberId, organizationId, email: `${name}@a.test`, role: "member" } as const;
  await store.addMember({ by: TESTS, ...member, createdAt: 1 });
  const key = { id: keyId, organizationId, memberId, name: keyId, permission: "all", revokedAt: null } as const;
  const secret = { lookup: `look_${keyId}`, hash: `hash_${keyId}` };
  await store.createKey({ by: TESTS, key: { ...key, createdAt: 1 }, secret });
  const held = new Map<string, bigint>();
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
      more: Partial<ResponseBegin> = {},
    ): Promise<{ head: ResponseHead; outcome: BeginOutcome }> => {
      const head = headOf();
      const funds = { prices: PRICES, holdNano };
      const outcome = await store.beginResponse(beginOf(head, { caller, funds, ...more }));
      if (outcome.kind === "begun") held.set(head.id, outcome.heldNano ?? holdNano);
      return { head, outcome };
    },
    end: ({ id }: ResponseHead, input: number, output: number, status: "completed" | "failed" = "completed") =>
      store.settleResponse(settleOf(id, [says("q")], endOf([answers("a")], { status, usage: usage(input, output) }))),
    extend: async ({ id }: ResponseHead, neededNano: bigint, aheadNano = 0n) => {
      const heldNano = held.get(id) ?? 0n;
      const extension = await store.extendHold({ responseId: id, heldNano, neededNano, aheadNano });
      held.set(id, heldNano + extension.grantedNano);
      return extension;
    },
    release: async ({ id }: ResponseHead, amountNano: bigint) => {
      const heldNano = held.get(id) ?? 0n;
      if (amountNano < heldNano) held.set(id, heldNano - amountNano);
      await store.releaseHold({ responseId: id, amountNano });
    },
    /** Checks that all figures agree with the ledger's transfers. */
    check: async () => {
      const { differences } = await store.reconcile({ organizationId });
      assert.deepEqual(differences, []);
    },
  };
}

export const BUDGET = { scope: "organization", id: null, period: "total" } as const;

export async function isUnknown(store: Store, { id }: ResponseHead, caller = ACME): Promise<boolean> {
  return (await store.readResponse({ caller, responseId: id })) === null;
}
