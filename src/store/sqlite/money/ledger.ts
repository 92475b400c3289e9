// The ledger: double entry, append-only, integer nano-credits (its accounts and transfers: migrations/0002-money.sql). Each posting
// keeps the balances of its organization, and the table refuses one after which they would not add up.
import { AMOUNT_NANO_MAX } from "../../../core/accounts/credits.ts";
import { AccountError } from "../../../ports/accounts.ts";
import type { Connection } from "../database/connection.ts";
import { change, one } from "../database/statement.ts";

/** Most that one organization can be paid in for, nano-credits: one more such amount would not fit. */
const TOP_UPS_NANO_MAX = 8n * AMOUNT_NANO_MAX;

/** Opens the accounts of a new organization. */
export function openAccounts(connection: Connection, organizationId: string): void {
  insertBalances(connection, { organizationId });
}

/** Posts a top-up: what the organization may spend goes up by what was paid in. False when this very one has been posted before. */
export function postTopUp(
  connection: Connection,
  topUp: { transactionId: string; organizationId: string; amountNano: bigint; createdAt: number },
): boolean {
  const { transactionId, organizationId, amountNano, createdAt } = topUp;
  if (amountNano <= 0n) throw new AccountError("A top-up adds something: its amount is above zero.");
  if (amountNano > AMOUNT_NANO_MAX) {
    throw new AccountError("The amount is too large for one posting (a billion credits at most).");
  }
  const posted = selectTransfer(connection, { transactionId });
  if (posted !== undefined) {
    if (posted.organizationId === organizationId && BigInt(posted.amount) === amountNano) return false;
    throw new AccountError(`The transaction ${transactionId} has been posted already, as another top-up.`);
  }
  const { changes } = addTopUp(connection, { organizationId, amountNano, beforeNano: TOP_UPS_NANO_MAX - amountNano });
  if (changes !== 1) {
    throw new AccountError("The top-ups of an organization are eight billion credits at most, all together.");
  }
  insertTopUp(connection, { transactionId, organizationId, amountNano, createdAt });
  return true;
}

const insertBalances = change<{ organizationId: string }>(`
  insert into balances (organization_id) values (:organizationId)`);

const selectTransfer = one<{ transactionId: string }, { organizationId: string; amount: string }>(`
  select organization_id           as organizationId,
         cast(amount_nano as text) as amount
    from ledger_transfers
   where public_id = :transactionId`);

const insertTopUp = change<{
  organizationId: string;
  amountNano: bigint;
  transactionId: string;
  createdAt: number;
}>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, public_id, created_at)
  values (:organizationId, 'topup', 'topups', 'credits', :amountNano, :transactionId, :createdAt)`);

const addTopUp = change<{ organizationId: string; amountNano: bigint; beforeNano: bigint }>(`
  update balances
     set credits_nano = credits_nano + :amountNano,
         topups_nano  = topups_nano + :amountNano
   where organization_id = :organizationId
     and topups_nano <= :beforeNano`);
