// An organization whose responses cost one nano-credit per token, driven step by step.
import { HOUR_MS } from "../../../src/base/time.ts";
import fc from "../../support/fast-check.ts";
import type { ResponseId } from "../../../src/contract/ids.ts";
import { BUDGET_PERIODS, BUDGET_SCOPES, type BudgetPeriod, type BudgetScope } from "../../../src/contract/money.ts";
import { type BudgetName, readBudgetName } from "../../../src/core/money/budgets.ts";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import { TESTS } from "../../support/actor.ts";
import { beginOf, endOf, headOf, settleOf, usage } from "../fixtures.ts";
import type { Suite } from "./suite.ts";

const PRICES = JSON.stringify({ input: 1e6, cached_input: 1e6, cache_write: 1e6, output: 1e6, tiers: [] });

/** A response to begin: its key and its hold. */
interface Begin {
  readonly key: number;
  readonly holdNano: bigint;
  readonly isFree?: boolean;
}

let opened = 0;

/** A new organization with that balance; keys 1 and 2 belong to a member. */
export async function openBooks({ store, clock }: Suite, balanceNano: bigint) {
  const place = ++opened;
  const organizationId = `org_books_${place}`;
  const memberId = `mem_books_${place}`;
  const keys = [0, 1, 2].map((number) => `key_books_${place}_${number}`);
  let toppedUp = 0;
  let running: ResponseId[] = [];
  const free = new Set<ResponseId>();
  const held = new Map<ResponseId, bigint>();

  await store.createOrganization({ by: TESTS, id: organizationId, name: organizationId, createdAt: 1 });
  const member = { id: memberId, organizationId, email: "ada@books.test", role: "member" } as const;
  await store.addMember({ by: TESTS, ...member, createdAt: 1 });
  for (const [number, id] of keys.entries()) {
    const ofMember = { organizationId, memberId: number === 0 ? null : memberId, name: id, permission: "all" } as const;
    const secret = { lookup: `look_${id}`, hash: "h" };
    await store.createKey({ by: TESTS, key: { id, ...ofMember, createdAt: 1, revokedAt: null }, secret });
  }
  await topUp(balanceNano);

  async function topUp(amountNano: bigint): Promise<void> {
    const transactionId = `txn_${organizationId}_${++toppedUp}`;
    await store.addCredits({ by: TESTS, transactionId, organizationId, amountNano, createdAt: 1 });
  }

  /** Begins a response unless it is rejected; returns its id in either case. */
  async function begin({ key, holdNano, isFree = false }: Begin): Promise<ResponseId> {
    const head = headOf();
    const caller = { organizationId, keyId: keys[key] ?? "" };
    const funds = isFree ? null : { prices: PRICES, holdNano };
    const outcome = await store.beginResponse(beginOf(head, { caller, funds }));
    if (outcome.kind === "begun") {
      running.push(head.id);
      held.set(head.id, outcome.heldNano ?? holdNano);
    }
    if (isFree) free.add(head.id);
    return head.id;
  }

  async function extend(responseId: ResponseId, amounts: { neededNano: bigint; aheadNano: bigint }): Promise<void> {
    const heldNano = held.get(responseId) ?? 0n;
    const { grantedNano } = await store.extendHold({ responseId, heldNano, ...amounts });
    held.set(responseId, heldNano + grantedNano);
  }

  async function release(responseId: ResponseId, amountNano: bigint): Promise<void> {
    const heldNano = held.get(responseId) ?? 0n;
    if (amountNano < heldNano) held.set(responseId, heldNano - amountNano);
    await store.releaseHold({ responseId, amountNano });
  }

  async function settle(responseId: ResponseId, input: number, output: number): Promise<void> {
    const used = { ...usage(input, output), input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } };
    await store.settleResponse(settleOf(responseId, [], endOf([], { usage: used })));
    running = running.filter((id) => id !== responseId);
  }

  /** The budget of a scope and period; null when the combination does not exist. */
  function nameOf(scope: BudgetScope, period: BudgetPeriod): BudgetName | null {
    const id = { member: memberId, key: keys[1] }[scope as string];
    const name = readBudgetName({ scope, id, period });
    return "wrong" in name ? null : name;
  }

  /** Runs a step; a step that the accounts reject changes nothing. */
  async function take(taken: Step): Promise<void> {
    const turn = "which" in taken ? running[taken.which % Math.max(1, running.length)] : undefined;
    try {
      switch (taken.do) {
        case "begin":
          await begin(taken);
          return;
        case "extend":
          // A free response holds nothing, so it is never extended.
          if (turn !== undefined && !free.has(turn)) await extend(turn, taken);
          return;
        case "release":
          if (turn !== undefined) await release(turn, taken.amountNano);
          return;
        case "settle":
          if (turn !== undefined) await settle(turn, taken.input, taken.output);
          return;
        case "withdraw":
          if (turn !== undefined) await store.withdrawResponse({ responseId: turn });
          running = running.filter((id) => id !== turn);
          return;
        case "setBudget":
        case "clearBudget": {
          const name = nameOf(taken.scope, taken.period);
          if (name === null) return;
          if (taken.do === "clearBudget") await store.clearBudget({ organizationId, name, by: TESTS });
          else await store.setBudget({ organizationId, name, limitNano: taken.limitNano, by: TESTS });
          return;
        }
        case "raiseBudget": {
          const name = nameOf(taken.scope, taken.period);
          const untilMs = clock.nowMs() + taken.hours * HOUR_MS;
          const raise = { amountNano: taken.amountNano, untilMs };
          if (name !== null) await store.raiseBudget({ organizationId, name, raise, by: TESTS });
          return;
        }
        case "topUp":
          await topUp(taken.amountNano);
          return;
        case "wait":
          clock.advance(taken.hours * HOUR_MS);
          return;
        case "removeMember":
          await store.removeMember({ by: TESTS, organizationId, memberId });
          return;
        default:
          taken satisfies never;
      }
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
    }
  }

  return { whose: { organizationId }, memberId, keys, begin, settle, take };
}

const nano = fc.bigInt({ min: 0n, max: 120n });
const which = fc.nat({ max: 9 });
const budget = { scope: fc.constantFrom(...BUDGET_SCOPES), period: fc.constantFrom(...BUDGET_PERIODS) };

/** A random step; `which` selects one of the running responses. */
export const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("begin"), key: fc.nat({ max: 2 }), holdNano: nano, isFree: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("extend"),
      which,
      neededNano: fc.constantFrom(0n, 1n, 20n),
      aheadNano: nano,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("release"), which, amountNano: fc.bigInt({ min: 1n, max: 20n }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("settle"), which, input: fc.nat({ max: 60 }), output: fc.nat({ max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw"), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("setBudget"), ...budget, limitNano: nano }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clearBudget"), ...budget }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("raiseBudget"),
      ...budget,
      amountNano: nano,
      hours: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("topUp"), amountNano: fc.bigInt({ min: 1n, max: 100n }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), hours: fc.integer({ min: 1, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("removeMember") }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
