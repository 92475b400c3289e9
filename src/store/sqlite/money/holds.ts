// The money of a turn in the ledger: held when it begins, extended while it runs, settled or voided when it ends. Each step is part of
// the transaction that it belongs to. docs/decisions/money.md
import { chargeOf } from "../../../core/accounts/prices.ts";
import type { Charge, HoldExtension, Shortage } from "../../../ports/funds.ts";
import { StoreError } from "../../../ports/store.ts";
import {
  type Billed,
  findBudgets,
  holdOnBudgets,
  leftOf,
  settleOnBudgets,
  shortageOf,
  type TurnBudgets,
} from "./budget-counters.ts";
import { decodeUsage, type UsageColumns } from "../histories/codec.ts";
import type { Connection } from "../database/connection.ts";
import { plain } from "../database/operation.ts";
import { readSnapshot } from "./price-snapshots.ts";
import { type RunningRow, selectRunning, updateHeld } from "../histories/responses.ts";
import { change, one } from "../database/statement.ts";

/** What came of asking for a hold: it was taken, or nothing was changed. */
export type HoldOutcome =
  | { readonly kind: "held"; readonly responseLimitNano: bigint | null }
  | { readonly kind: "refused"; readonly shortage: Shortage };

/** Sets aside what a turn that begins may cost: budgets are asked first, then the balance. */
export function takeHold(
  connection: Connection,
  turn: Billed & { readonly responseId: string; readonly createdAt: number },
  holdNano: bigint,
): HoldOutcome {
  const { organizationId, responseId, createdAt } = turn;
  const { counted, responseLimitNano } = findBudgets(connection, turn);
  const spent = counted.find((budget) => budget.spentNano + budget.heldNano + holdNano > budget.limitNano);
  if (spent !== undefined) return { kind: "refused", shortage: shortageOf(spent, holdNano) };
  if (holdNano > 0n) {
    if (holdCredits(connection, { organizationId, amountNano: holdNano }).changes !== 1) {
      return { kind: "refused", shortage: shortOfCredits(readCredits(connection, organizationId), holdNano) };
    }
    insertHold(connection, { organizationId, kind: "hold", amountNano: holdNano, responseId, createdAt });
  }
  holdOnBudgets(connection, counted, holdNano);
  return { kind: "held", responseLimitNano };
}

/** TurnStore.extendHold. */
export const extendHold = plain(
  "write",
  (connection, query: { responseId: string; wantedNano: bigint; leastNano: bigint }, nowMs): HoldExtension => {
    const { responseId, wantedNano, leastNano } = query;
    const running = selectRunning(connection, { responseId });
    if (running === undefined) return { grantedNano: 0n, shortage: null };
    const billed = billedOf(running);
    const { organizationId } = billed;
    const budgets = findBudgets(connection, billed);
    const bound = tightest(connection, running, budgets, leastNano);
    const grantedNano = bound.leftNano < wantedNano ? bound.leftNano : wantedNano;
    if (grantedNano < leastNano) return { grantedNano: 0n, shortage: bound.shortage };
    if (grantedNano <= 0n) return { grantedNano: 0n, shortage: null };
    const { changes } = holdCredits(connection, { organizationId, amountNano: grantedNano });
    if (changes !== 1) throw new StoreError("failed", `The balance of ${organizationId} is less than was read.`);
    const createdAt = Math.floor(nowMs / 1000);
    insertHold(connection, { organizationId, kind: "extend", amountNano: grantedNano, responseId, createdAt });
    holdOnBudgets(
      connection,
      budgets.counted.filter(({ isOpen }) => isOpen),
      grantedNano,
    );
    updateHeld(connection, { id: running.id, amountNano: grantedNano });
    return { grantedNano, shortage: null };
  },
);

/** Of the balance, the budgets and the limit of a response what has least left, and how to say so. */
function tightest(
  connection: Connection,
  running: RunningRow,
  { counted, responseLimitNano }: TurnBudgets,
  neededNano: bigint,
): { readonly leftNano: bigint; readonly shortage: Shortage } {
  const heldNano = BigInt(running.heldNano);
  const bounds = counted
    .filter(({ isOpen }) => isOpen)
    .map((budget) => ({ leftNano: leftOf(budget), shortage: shortageOf(budget, neededNano) }));
  if (responseLimitNano !== null) {
    const left = responseLimitNano - heldNano;
    const limit = { scope: "response", period: "total", limitNano: responseLimitNano, spentNano: 0n } as const;
    const shortage: Shortage = { kind: "budget", ...limit, heldNano, neededNano };
    bounds.unshift({ leftNano: left > 0n ? left : 0n, shortage });
  }
  const creditsNano = readCredits(connection, running.organizationId);
  bounds.push({ leftNano: creditsNano, shortage: shortOfCredits(creditsNano, neededNano) });
  return bounds.reduce((least, bound) => (bound.leftNano < least.leftNano ? bound : least));
}

/** Charges a turn that ended for its usage, by the prices that were stored with it; what is left of its hold returns. */
export function settleHold(
  connection: Connection,
  running: RunningRow,
  end: UsageColumns & { readonly responseId: string; readonly completedAt: number },
): Charge {
  const { responseId, completedAt: createdAt } = end;
  const billed = billedOf(running);
  const heldNano = BigInt(running.heldNano);
  const chargedNano = running.prices === null ? 0n : chargeOf(readSnapshot(running.prices), decodeUsage(end));
  countUsage(connection, {
    ...billed,
    memberId: billed.memberId ?? "",
    model: running.model,
    inputTokens: end.inputTokens ?? 0,
    cachedTokens: end.cachedTokens ?? 0,
    cacheWriteTokens: end.cacheWriteTokens ?? 0,
    outputTokens: end.outputTokens ?? 0,
    reasoningTokens: end.reasoningTokens ?? 0,
    chargedNano,
  });
  if (running.prices === null) return { chargedNano, shortfallNano: 0n };
  if (chargedNano === 0n) {
    voidHold(connection, running, { responseId, createdAt });
    return { chargedNano, shortfallNano: 0n };
  }
  const { organizationId } = billed;
  const posting = { organizationId, responseId, createdAt };
  const shortfallNano = coverCharge(connection, posting, chargedNano - heldNano);
  // Now what is held is the charge or more than it.
  insertSettlement(connection, { ...posting, kind: "settle", toAccount: "charged", amountNano: chargedNano });
  const leftNano = chargedNano < heldNano ? heldNano - chargedNano : 0n;
  if (leftNano > 0n) {
    insertSettlement(connection, { ...posting, kind: "release", toAccount: "credits", amountNano: leftNano });
  }
  chargeHeld(connection, { organizationId, chargedNano, leftNano });
  settleOnBudgets(connection, billed, { heldNano, chargedNano });
  return { chargedNano, shortfallNano };
}

/** Returns all that a turn holds: nothing is charged. */
export function voidHold(
  connection: Connection,
  running: RunningRow,
  { responseId, createdAt }: { responseId: string; createdAt: number },
): void {
  const heldNano = BigInt(running.heldNano);
  if (heldNano === 0n) return;
  const { organizationId } = running;
  const kind = { kind: "void", toAccount: "credits" } as const;
  insertSettlement(connection, { organizationId, responseId, createdAt, ...kind, amountNano: heldNano });
  chargeHeld(connection, { organizationId, chargedNano: 0n, leftNano: heldNano });
  settleOnBudgets(connection, billedOf(running), { heldNano, chargedNano: 0n });
}

/** Holds what a charge is beyond its hold: from the balance as far as it goes, the rest is the service's. Answers that rest. */
function coverCharge(
  connection: Connection,
  posting: { readonly organizationId: string; readonly responseId: string; readonly createdAt: number },
  missingNano: bigint,
): bigint {
  if (missingNano <= 0n) return 0n;
  const { organizationId } = posting;
  const creditsNano = readCredits(connection, organizationId);
  const paidNano = creditsNano < missingNano ? creditsNano : missingNano;
  const shortfallNano = missingNano - paidNano;
  if (paidNano > 0n) {
    holdCredits(connection, { organizationId, amountNano: paidNano });
    insertHold(connection, { ...posting, kind: "extend", amountNano: paidNano });
  }
  if (shortfallNano > 0n) {
    holdShortfall(connection, { organizationId, amountNano: shortfallNano });
    insertShortfall(connection, { ...posting, amountNano: shortfallNano });
  }
  return shortfallNano;
}

function billedOf({ organizationId, keyId, memberId, billingDay }: RunningRow): Billed {
  return { organizationId, keyId, memberId, billingDay };
}

function shortOfCredits(creditsNano: bigint, neededNano: bigint): Shortage {
  return { kind: "credits", creditsNano, neededNano };
}

function readCredits(connection: Connection, organizationId: string): bigint {
  return BigInt(selectCredits(connection, { organizationId })?.credits ?? 0);
}

const selectCredits = one<{ organizationId: string }, { readonly credits: string }>(`
  select cast(credits_nano as text) as credits
    from balances
   where organization_id = :organizationId`);

/** credits → held, as far as they reach. */
const holdCredits = change<{ organizationId: string; amountNano: bigint }>(`
  update balances
     set credits_nano = credits_nano - :amountNano,
         held_nano    = held_nano + :amountNano
   where organization_id = :organizationId
     and credits_nano >= :amountNano`);

/** shortfall → held. */
const holdShortfall = change<{ organizationId: string; amountNano: bigint }>(`
  update balances
     set shortfall_nano = shortfall_nano + :amountNano,
         held_nano      = held_nano + :amountNano
   where organization_id = :organizationId`);

/** held → charged, and what is left → credits. */
const chargeHeld = change<{ organizationId: string; chargedNano: bigint; leftNano: bigint }>(`
  update balances
     set held_nano    = held_nano - :chargedNano - :leftNano,
         charged_nano = charged_nano + :chargedNano,
         credits_nano = credits_nano + :leftNano
   where organization_id = :organizationId`);

const insertHold = change<{
  organizationId: string;
  kind: "hold" | "extend";
  amountNano: bigint;
  responseId: string;
  createdAt: number;
}>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
  values (:organizationId, :kind, 'credits', 'held', :amountNano, :responseId, :createdAt)`);

const insertShortfall = change<{
  organizationId: string;
  amountNano: bigint;
  responseId: string;
  createdAt: number;
}>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
  values (:organizationId, 'shortfall', 'shortfall', 'held', :amountNano, :responseId, :createdAt)`);

const insertSettlement = change<{
  organizationId: string;
  kind: "settle" | "release" | "void";
  toAccount: "charged" | "credits";
  amountNano: bigint;
  responseId: string;
  createdAt: number;
}>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
  values (:organizationId, :kind, 'held', :toAccount, :amountNano, :responseId, :createdAt)`);

const countUsage = change<{
  organizationId: string;
  billingDay: number;
  keyId: string;
  memberId: string;
  model: string;
  inputTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  chargedNano: bigint;
}>(`
  insert into usage_by_day (organization_id, day, key_id, member_id, model, responses, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, charged_nano)
  values (:organizationId, :billingDay, :keyId, :memberId, :model, 1, :inputTokens, :cachedTokens, :cacheWriteTokens, :outputTokens, :reasoningTokens, :chargedNano)
      on conflict (organization_id, day, key_id, member_id, model) do update
     set responses          = responses + 1,
         input_tokens       = input_tokens + excluded.input_tokens,
         cached_tokens      = cached_tokens + excluded.cached_tokens,
         cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
         output_tokens      = output_tokens + excluded.output_tokens,
         reasoning_tokens   = reasoning_tokens + excluded.reasoning_tokens,
         charged_nano       = charged_nano + excluded.charged_nano`);
