// Ends the hold of a turn in the ledger: settled by the turn's usage, or voided. Part of the transaction that ends the
// turn. See docs/decisions/money.md
import { chargeOf } from "../../core/money/prices.ts";
import type { Charge } from "../../ports/store/funds.ts";
import { settleOnBudgets } from "./budget-counters.ts";
import { emitCreditShare } from "../events/spending.ts";
import { decodeUsage, type UsageColumns } from "../histories/turn-codec.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type Balance, findBalance } from "./balances.ts";
import { insertHold, insertSettlement, insertShortfall, lockBalance } from "./ledger.ts";
import { parsePriceSnapshot } from "./price-snapshots.ts";
import type { RunningRow } from "../histories/responses.ts";
import { countUsage } from "./usage.ts";

/**
 * Charges an ended turn for its usage at the prices stored with it, and releases the rest of its hold. Emits an event
 * for a budget, and for the balance, of which the charge reaches a share.
 */
export function* settleHold(
  tx: Transaction,
  running: RunningRow,
  end: UsageColumns & { readonly responseId: string; readonly completedAt: number },
  nowMs: number,
): Steps<Charge> {
  const { responseId, completedAt: createdAt } = end;
  const { organizationId, keyId, memberId, billingHour, model } = running;
  const heldNano = BigInt(running.heldNano);
  const chargedNano = running.prices === null ? 0n : chargeOf(parsePriceSnapshot(running.prices), decodeUsage(end));
  countUsage(
    {
      organizationId,
      billingHour,
      keyId,
      memberId: memberId ?? "",
      model,
      inputTokens: end.inputTokens ?? 0,
      cachedTokens: end.cachedTokens ?? 0,
      cacheWriteTokens: end.cacheWriteTokens ?? 0,
      outputTokens: end.outputTokens ?? 0,
      reasoningTokens: end.reasoningTokens ?? 0,
      chargedNano,
    },
    tx,
  );
  if (running.prices === null) return { chargedNano, shortfallNano: 0n };
  if (chargedNano === 0n) {
    yield* voidHold(tx, running, { responseId, createdAt }, nowMs);
    return { chargedNano, shortfallNano: 0n };
  }
  yield* lockBalance(tx, { organizationId });
  const posting = { organizationId, responseId, createdAt };
  const balance = yield* findBalance(tx, organizationId);
  const beforeNano = balance.creditsNano + balance.heldNano;
  const shortfallNano = yield* coverCharge(tx, posting, balance, chargedNano - heldNano);
  // The hold now covers the charge.
  yield* insertSettlement(tx, { ...posting, kind: "settle", toAccount: "charged", amountNano: chargedNano });
  const leftNano = chargedNano < heldNano ? heldNano - chargedNano : 0n;
  if (leftNano > 0n) {
    yield* insertSettlement(tx, { ...posting, kind: "release", toAccount: "credits", amountNano: leftNano });
  }
  balance.charge(chargedNano, leftNano);
  const { toppedUpNano, topUpsNano } = balance;
  const afterNano = balance.creditsNano + balance.heldNano;
  emitCreditShare({ organizationId, beforeNano, afterNano, toppedUpNano, topUpsNano }, nowMs, tx);
  yield* settleOnBudgets(tx, running, { heldNano, chargedNano }, nowMs);
  return { chargedNano, shortfallNano };
}

/** Releases the whole hold without a charge. */
export function* voidHold(
  tx: Transaction,
  running: RunningRow,
  { responseId, createdAt }: { responseId: string; createdAt: number },
  nowMs: number,
): Steps<void> {
  const heldNano = BigInt(running.heldNano);
  if (heldNano === 0n) return;
  const { organizationId } = running;
  yield* lockBalance(tx, { organizationId });
  const kind = { kind: "void", toAccount: "credits" } as const;
  yield* insertSettlement(tx, { organizationId, responseId, createdAt, ...kind, amountNano: heldNano });
  (yield* findBalance(tx, organizationId)).charge(0n, heldNano);
  yield* settleOnBudgets(tx, running, { heldNano, chargedNano: 0n }, nowMs);
}

/**
 * Extends a hold by the part of the charge that it does not cover: from the balance as far as possible, the rest as the
 * service's shortfall. Returns the shortfall.
 */
function* coverCharge(
  tx: Transaction,
  posting: { readonly organizationId: string; readonly responseId: string; readonly createdAt: number },
  balance: Balance,
  missingNano: bigint,
): Steps<bigint> {
  if (missingNano <= 0n) return 0n;
  const { creditsNano } = balance;
  const paidNano = creditsNano < missingNano ? creditsNano : missingNano;
  const shortfallNano = missingNano - paidNano;
  if (paidNano > 0n) {
    balance.hold(paidNano);
    yield* insertHold(tx, { ...posting, kind: "extend", amountNano: paidNano });
  }
  if (shortfallNano > 0n) {
    balance.holdShortfall(shortfallNano);
    yield* insertShortfall(tx, { ...posting, amountNano: shortfallNano });
  }
  return shortfallNano;
}
