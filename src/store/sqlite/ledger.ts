// The ledger: double entry, append-only, integer nano-credits. Each posting keeps the balances of its accounts.
import { AccountError } from "../../ports/accounts.ts";
import type { Connection } from "./connection.ts";
import { change, one } from "./statement.ts";

/** Largest amount of one posting, nano-credits: balances then stay far from what SQLite's integers hold. */
const AMOUNT_NANO_MAX = 10n ** 18n;

/** Opens the accounts of a new organization. */
export function openCredits(connection: Connection, organizationId: string): void {
  insertAccount(connection, { organizationId, kind: "credits" });
  insertAccount(connection, { organizationId, kind: "held" });
}

/** Posts a top-up: what the organization may spend goes up, the service's top-ups account down by as much. */
export function postTopUp(
  connection: Connection,
  topUp: { transactionId: string; organizationId: string; amountNano: bigint; createdAt: number },
): void {
  const { transactionId, organizationId, amountNano, createdAt } = topUp;
  if (amountNano === 0n) throw new AccountError("A top-up of nothing changes nothing.");
  if (amountNano > AMOUNT_NANO_MAX || amountNano < -AMOUNT_NANO_MAX) {
    throw new AccountError("The amount is too large for one posting (a billion credits at most).");
  }
  if (selectTransaction(connection, { transactionId }) !== undefined) {
    throw new AccountError(`The transaction ${transactionId} has been posted already.`);
  }
  const { id } = insertTransaction(connection, { transactionId, kind: "topup", responseId: null, createdAt });
  const credits = selectAccount(connection, { organizationId, kind: "credits" });
  const topUps = selectServiceAccount(connection, { kind: "topups" });
  if (credits === undefined || topUps === undefined) throw new AccountError(`${organizationId} has no accounts.`);
  post(connection, id, credits.id, amountNano);
  post(connection, id, topUps.id, -amountNano);
}

function post(connection: Connection, transactionId: number, accountId: number, amountNano: bigint): void {
  insertEntry(connection, { transactionId, accountId, amountNano });
  addToBalance(connection, { accountId, amountNano });
}

const insertAccount = change<{ organizationId: string; kind: string }>(`
  insert into ledger_accounts (organization_id, kind)
  values (:organizationId, :kind)`);

const selectAccount = one<{ organizationId: string; kind: string }, { id: number }>(`
  select id
    from ledger_accounts
   where organization_id = :organizationId
     and kind = :kind`);

const selectServiceAccount = one<{ kind: string }, { id: number }>(`
  select id
    from ledger_accounts
   where organization_id is null
     and kind = :kind`);

const selectTransaction = one<{ transactionId: string }, { id: number }>(`
  select id from ledger_transactions where public_id = :transactionId`);

const insertTransaction = change<{
  transactionId: string;
  kind: string;
  responseId: string | null;
  createdAt: number;
}>(`
  insert into ledger_transactions (public_id, kind, response_id, created_at)
  values (:transactionId, :kind, :responseId, :createdAt)`);

const insertEntry = change<{ transactionId: number; accountId: number; amountNano: bigint }>(`
  insert into ledger_entries (transaction_id, account_id, amount_nano)
  values (:transactionId, :accountId, :amountNano)`);

const addToBalance = change<{ accountId: number; amountNano: bigint }>(`
  update ledger_accounts
     set balance_nano = balance_nano + :amountNano
   where id = :accountId`);
