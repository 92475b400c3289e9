// The ledger: double entry, append-only, in integer nano-credits (accounts and transfers: migrations/0002-money.sql).
// Each posting updates the balances of its organization, and the table's constraints reject balances that do not add
// up.
import { AMOUNT_NANO_MAX } from "../../core/money/credits.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { change, lock, one, write } from "../engine/statement.ts";

/** The most that an organization's top-ups may add up to, nano-credits; one amount more would overflow. */
const TOP_UPS_NANO_MAX = 8n * AMOUNT_NANO_MAX;

/** Opens the accounts of a new organization. */
export function* openAccounts(tx: Transaction, organizationId: string): Steps<void> {
  yield* insertBalances(tx, { organizationId });
}

/**
 * Posts a top-up to an organization's balance. False when this top-up was posted before. Throws an AccountError for an
 * amount out of range, and when the transaction id is that of another top-up.
 */
export function* postTopUp(
  tx: Transaction,
  topUp: { transactionId: string; organizationId: string; amountNano: bigint; createdAt: number },
): Steps<boolean> {
  const { transactionId, organizationId, amountNano, createdAt } = topUp;
  if (amountNano <= 0n) throw new AccountError("The amount of a top-up must be above zero.");
  if (amountNano > AMOUNT_NANO_MAX) {
    throw new AccountError("A single top-up may be a billion credits at most.");
  }
  const posted = yield* selectTransfer(tx, { transactionId });
  if (posted !== undefined) {
    if (posted.organizationId === organizationId && BigInt(posted.amount) === amountNano) return false;
    throw new AccountError(`The transaction ${transactionId} has already been posted as another top-up.`);
  }
  const { changes } = yield* addTopUp(tx, { organizationId, amountNano, beforeNano: TOP_UPS_NANO_MAX - amountNano });
  if (changes !== 1) {
    throw new AccountError("An organization's top-ups may add up to eight billion credits at most.");
  }
  yield* insertTopUp(tx, { transactionId, organizationId, amountNano, createdAt });
  return true;
}

/**
 * Lets no other transaction move an organization's money: the balance, what is held, the budgets. Operations of the
 * same transaction may: between reading them and changing them, a rule waits for nothing.
 */
export const lockBalance = lock<{ organizationId: string }>(
  "select organization_id from balances where organization_id = :organizationId",
  { isBuffered: true },
);

const insertBalances = write<{ organizationId: string }>(`
  insert into balances (organization_id) values (:organizationId)`);

const selectTransfer = one<{ transactionId: string }, { organizationId: string; amount: string }>(`
  select organization_id           as organizationId,
         cast(amount_nano as text) as amount
    from ledger_transfers
   where public_id = :transactionId`);

const insertTopUp = write<{
  organizationId: string;
  amountNano: bigint;
  transactionId: string;
  createdAt: number;
}>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, public_id, created_at)
  values (:organizationId, 'topup', 'topups', 'credits', :amountNano, :transactionId, :createdAt)`);

const addTopUp = change<{ organizationId: string; amountNano: bigint; beforeNano: bigint }>(`
  update balances
     set credits_nano   = credits_nano + :amountNano,
         topups_nano    = topups_nano + :amountNano,
         topped_up_nano = credits_nano + held_nano + :amountNano
   where organization_id = :organizationId
     and topups_nano <= :beforeNano`);

/** The columns of a transfer of a turn. */
interface TurnTransfer {
  organizationId: string;
  amountNano: bigint;
  responseId: string;
  createdAt: number;
}

/** Posts a hold, or its extension. */
export const insertHold = write<TurnTransfer & { kind: "hold" | "extend" }>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
  values (:organizationId, :kind, 'credits', 'held', :amountNano, :responseId, :createdAt)`);

/** Posts the part of a charge that the service bears. */
export const insertShortfall = write<TurnTransfer>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
  values (:organizationId, 'shortfall', 'shortfall', 'held', :amountNano, :responseId, :createdAt)`);

/** Posts what leaves a hold: the charge, or what goes back to the credits. */
export const insertSettlement = write<
  TurnTransfer & { kind: "settle" | "release" | "void"; toAccount: "charged" | "credits" }
>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
  values (:organizationId, :kind, 'held', :toAccount, :amountNano, :responseId, :createdAt)`);
