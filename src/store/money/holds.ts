// The hold of a response in the ledger: taken when the response begins, extended and reduced while it runs.
// settlements.ts ends it. Each step is part of the transaction that it belongs to. See docs/decisions/money.md
import type { HoldExtension, Shortage } from "../../ports/store/funds.ts";
import {
  type Billed,
  findBudgets,
  holdOnBudgets,
  isSpent,
  leftOf,
  openPeriods,
  shortageOf,
  type ResponseBudgets,
} from "./budget-counters.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { type Balance, creditsOf, findBalance, fundsOf, postTransfer } from "./balances.ts";
import { lockBalance } from "./ledger.ts";
import { giveBack } from "./settlements.ts";
import { lockResponse, type RunningRow, selectRunning, updateHeld } from "../histories/responses.ts";

/** The outcome of a hold: it was taken, or nothing was changed. */
type HoldOutcome =
  | { readonly kind: "held"; readonly heldNano: bigint }
  | { readonly kind: "shortage"; readonly shortage: Shortage };

/**
 * Reserves what a response may cost, or as much of it as its budgets leave; `holdNano` is null for a free model. A
 * spent budget stops every response, also of a free model. A budget whose rest is held by running responses stops those
 * of priced models. Budgets are checked first. The balance must cover the whole hold, even where budgets leave less of
 * it: a budget never helps a response to begin.
 */
export function* takeHold(
  tx: Transaction,
  response: Billed & { readonly responseId: string; readonly createdAt: number },
  { counted, responseLimitNano }: ResponseBudgets,
  holdNano: bigint | null,
): Steps<HoldOutcome> {
  const { organizationId, responseId, createdAt } = response;
  const neededNano = holdNano ?? 0n;
  const balance = neededNano === 0n ? null : yield* findBalance(tx, organizationId);
  const closed = counted.find(balance === null ? isSpent : (budget) => leftOf(budget) === 0n);
  const responseNano = { ownNano: 0n, neededNano };
  if (closed !== undefined) return { kind: "shortage", shortage: shortageOf(closed, responseNano) };
  if (balance !== null && creditsOf(balance) < neededNano) {
    return { kind: "shortage", shortage: creditShortage(balance, responseNano) };
  }
  if (holdNano === null) return { kind: "held", heldNano: 0n };
  // The limit of a single response may be zero.
  const heldNano = smallest(neededNano, responseLimitNano ?? neededNano, ...counted.map(leftOf));
  openPeriods(counted);
  if (balance === null || heldNano === 0n) return { kind: "held", heldNano: 0n };
  holdOnBudgets(counted, heldNano);
  yield* postTransfer(tx, balance, { kind: "hold", amountNano: heldNano, responseId, createdAt });
  return { kind: "held", heldNano };
}

/** ResponseStore.extendHold. */
export const extendHold = plainProcedure(
  "write",
  function* (tx, query: Extending, nowMs): Steps<HoldExtension> {
    const { responseId, aheadNano } = query;
    yield* lockResponse(tx, { responseId });
    const running = yield* selectRunning(tx, { responseId });
    if (running === undefined) return NOTHING;
    const beyondNano = BigInt(running.heldNano) - query.heldNano;
    if (beyondNano !== 0n && beyondNano >= query.neededNano) return { grantedNano: beyondNano, shortage: null };
    const neededNano = query.neededNano - beyondNano;
    const { organizationId } = running;
    yield* lockBalance(tx, { organizationId });
    const { counted, responseLimitNano } = yield* findBudgets(tx, running, nowMs);
    const balance = yield* findBalance(tx, organizationId);
    const open = counted.filter(({ counters }) => counters.isOpen);
    const bounds = boundsOf(running, { counted: open, responseLimitNano }, balance, neededNano);
    const tightest = bounds.reduce((low, bound) => (bound.leftNano < low.leftNano ? bound : low));
    if (tightest.leftNano < neededNano) return { grantedNano: 0n, shortage: tightest.shortage };
    const grantedNano = neededNano + smallest(aheadNano, ...bounds.map((bound) => aheadWithin(bound, neededNano)));
    if (grantedNano <= 0n) return NOTHING;
    holdOnBudgets(open, grantedNano);
    const createdAt = Math.floor(nowMs / 1000);
    yield* postTransfer(tx, balance, { kind: "extend", amountNano: grantedNano, responseId, createdAt });
    yield* updateHeld(tx, { id: running.id, amountNano: grantedNano });
    return { grantedNano: beyondNano + grantedNano, shortage: null };
  },
  { usesBuffers: true },
);

/** The argument of extendHold. */
interface Extending {
  readonly responseId: string;
  readonly heldNano: bigint;
  readonly neededNano: bigint;
  readonly aheadNano: bigint;
}

const NOTHING: HoldExtension = { grantedNano: 0n, shortage: null };

/** A bound on an extension: the balance, a budget, or the limit of a response. */
interface Bound {
  readonly leftNano: bigint;
  /** Whether other responses draw on it too. */
  readonly isShared: boolean;
  readonly shortage: Shortage;
}

/**
 * Of several bounds that leave the same, the first is reported: the limit of a response, then budgets from the
 * narrowest, then the balance.
 */
function boundsOf(
  running: RunningRow,
  { counted, responseLimitNano }: ResponseBudgets,
  balance: Balance,
  neededNano: bigint,
): readonly Bound[] {
  const ownNano = BigInt(running.heldNano);
  const responseNano = { ownNano, neededNano };
  const bounds: Bound[] = counted.map((budget) => ({
    leftNano: leftOf(budget),
    isShared: true,
    shortage: shortageOf(budget, responseNano),
  }));
  if (responseLimitNano !== null) {
    const left = responseLimitNano - ownNano;
    const limit = {
      scope: "response",
      id: null,
      period: "total",
      limitNano: responseLimitNano,
      spentNano: 0n,
    } as const;
    const shortage: Shortage = { kind: "budget", ...limit, heldNano: ownNano, ...responseNano };
    bounds.unshift({ leftNano: left > 0n ? left : 0n, isShared: false, shortage });
  }
  bounds.push({ leftNano: creditsOf(balance), isShared: true, shortage: creditShortage(balance, responseNano) });
  return bounds;
}

/** How much may be held ahead of the need, once the need is met. */
function aheadWithin({ leftNano, isShared }: Bound, neededNano: bigint): bigint {
  return isShared ? (leftNano - neededNano) / 2n : leftNano - neededNano;
}

/** ResponseStore.releaseHold. */
export const releaseHold = plainProcedure(
  "write",
  function* (tx, query: { responseId: string; amountNano: bigint }, nowMs) {
    const { responseId, amountNano } = query;
    yield* lockResponse(tx, { responseId });
    const running = yield* selectRunning(tx, { responseId });
    // Only a part: the whole hold is settled or voided.
    if (running === undefined || amountNano >= BigInt(running.heldNano)) return;
    const createdAt = Math.floor(nowMs / 1000);
    yield* giveBack(tx, running, { kind: "release", amountNano, responseId, createdAt }, nowMs);
    yield* updateHeld(tx, { id: running.id, amountNano: -amountNano });
  },
  { usesBuffers: true },
);

function smallest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((low, amount) => (amount < low ? amount : low), first);
}

function creditShortage(balance: Balance, response: Pick<Shortage, "ownNano" | "neededNano">): Shortage {
  const creditsNano = creditsOf(balance);
  return { kind: "credits", creditsNano, heldNano: fundsOf(balance) - creditsNano, ...response };
}
