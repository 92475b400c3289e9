// Ends the hold of a response in the ledger: settled by the response's usage, or voided. Part of the transaction that
// ends the response. See docs/decisions/money.md
import type { TerminalStatus } from "../../contract/statuses.ts";
import { chargeOf, savedBy } from "../../core/money/prices.ts";
import type { Charge } from "../../ports/store/funds.ts";
import { settleOnBudgets } from "./budget-counters.ts";
import { emitCreditShare } from "../events/spending.ts";
import { decodeUsage, type UsageColumns, parsePriceSnapshot } from "../histories/response-codec.ts";
import { write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { creditsOf, findBalance, fundsOf, postTransfer, type ResponseTransfer } from "./balances.ts";
import { lockBalance } from "./ledger.ts";
import type { RunningRow } from "../histories/responses.ts";
import { countUsage } from "./usage.ts";

/**
 * Charges an ended response for its usage at the prices stored with it, and releases the rest of its hold. Emits an
 * event for a budget, and for the balance, of which the charge reaches a share. Also returns what caches saved.
 */
export function* settleHold(
  tx: Transaction,
  running: RunningRow,
  end: UsageColumns & {
    readonly responseId: string;
    readonly completedAt: number;
    readonly status: TerminalStatus;
    readonly countedModel: string | null;
  },
  nowMs: number,
): Steps<Charge & { readonly savedNano: bigint }> {
  const { responseId, completedAt: createdAt } = end;
  const { organizationId, keyId, memberId, billingHour } = running;
  const heldNano = BigInt(running.heldNano);
  const usage = decodeUsage(end);
  const prices = running.prices === null ? null : parsePriceSnapshot(running.prices);
  const chargedNano = prices === null ? 0n : chargeOf(prices, usage);
  const savedNano = prices === null ? 0n : savedBy(prices, usage);
  const model = yield* changeModel(tx, running, end, chargedNano);
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
      savedNano,
    },
    tx,
  );
  if (prices === null) return { chargedNano, savedNano, shortfallNano: 0n };
  const posting = { responseId, createdAt };
  if (chargedNano === 0n) {
    yield* giveBack(tx, running, { ...posting, kind: "void", amountNano: heldNano }, nowMs);
    return { chargedNano, savedNano, shortfallNano: 0n };
  }
  yield* lockBalance(tx, { organizationId });
  const balance = yield* findBalance(tx, organizationId);
  const beforeNano = fundsOf(balance);
  // What the hold does not cover: from the balance as far as possible, the rest as the service's shortfall.
  const missingNano = chargedNano > heldNano ? chargedNano - heldNano : 0n;
  const creditsNano = creditsOf(balance);
  const paidNano = creditsNano < missingNano ? creditsNano : missingNano;
  const shortfallNano = missingNano - paidNano;
  yield* postTransfer(tx, balance, { ...posting, kind: "extend", amountNano: paidNano });
  yield* postTransfer(tx, balance, { ...posting, kind: "shortfall", amountNano: shortfallNano });
  // The hold now covers the charge.
  yield* postTransfer(tx, balance, { ...posting, kind: "settle", amountNano: chargedNano });
  yield* postTransfer(tx, balance, { ...posting, kind: "release", amountNano: heldNano + missingNano - chargedNano });
  const { toppedUpNano, read } = balance;
  const change = { organizationId, beforeNano, afterNano: fundsOf(balance), toppedUpNano, topUpsNano: read.topups };
  emitCreditShare(change, nowMs, tx);
  yield* settleOnBudgets(tx, running, { heldNano, chargedNano }, nowMs);
  return { chargedNano, savedNano, shortfallNano };
}

/**
 * The model that a response is counted by. One that cost nothing and gave no answer is stored under the model that
 * figures are counted by: a client could otherwise make any number of names below a wildcard.
 */
function* changeModel(
  tx: Transaction,
  { id, model }: RunningRow,
  { status, countedModel }: { readonly status: TerminalStatus; readonly countedModel: string | null },
  chargedNano: bigint,
): Steps<string> {
  if (chargedNano > 0n || countedModel === null || countedModel === model) return model;
  if (status === "completed" || status === "incomplete") return model;
  yield* updateModel(tx, { id, model: countedModel });
  return countedModel;
}

const updateModel = write<{ id: number; model: string }>(`
  update responses set model = :model where id = :id`);

/** Puts the prices of the target that ran a response in place of those that it began with. */
export function* changePrices(tx: Transaction, running: RunningRow, prices: string): Steps<RunningRow> {
  yield* updatePrices(tx, { id: running.id, prices });
  return { ...running, prices };
}

const updatePrices = write<{ id: number; prices: string }>(`
  update responses set prices = :prices where id = :id`);

/** Gives credits of a hold back without a charge: a part of it, or the whole, which is void then. */
export function* giveBack(
  tx: Transaction,
  running: RunningRow,
  transfer: ResponseTransfer & { readonly kind: "release" | "void" },
  nowMs: number,
): Steps<void> {
  const { organizationId } = running;
  const { amountNano } = transfer;
  if (amountNano === 0n) return;
  yield* lockBalance(tx, { organizationId });
  yield* postTransfer(tx, yield* findBalance(tx, organizationId), transfer);
  yield* settleOnBudgets(tx, running, { heldNano: amountNano, chargedNano: 0n }, nowMs);
}
