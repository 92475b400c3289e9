// The ledger: double entry, append-only, in integer nano-credits (accounts and transfers: migrations/0002-money.sql).
// Each posting updates the balances of its organization, and the table's constraints reject balances that do not add
// up. Responses post their transfers through their balance (balances.ts). Transfers are listed for
// an organization, and those of a response.
import type { LedgerAccount, TransferKind } from "../../contract/money.ts";
import { AMOUNT_NANO_MAX } from "../../core/money/credits.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Transfer, MoneyStore, TransferPage } from "../../ports/store/money.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { change, lock, one, write, many } from "../engine/statement.ts";
import { plainProcedure } from "../engine/procedure.ts";

/** The most that an organization's top-ups may add up to, nano-credits; one amount more would overflow. */
const TOP_UPS_NANO_MAX = 8n * AMOUNT_NANO_MAX;

/** The accounts that a transfer of each kind connects: the one that it leaves and the one that it enters. */
export const ROUTES: Readonly<Record<TransferKind, readonly [from: LedgerAccount, to: LedgerAccount]>> = {
  topup: ["topups", "credits"],
  hold: ["credits", "held"],
  extend: ["credits", "held"],
  shortfall: ["shortfall", "held"],
  settle: ["held", "charged"],
  release: ["held", "credits"],
  void: ["held", "credits"],
};

/** An amount by account. `topups` and `shortfall`, where money comes from, count what has left them. */
export type Amounts = Record<LedgerAccount, bigint>;

/** Nothing on any account. */
export const NO_AMOUNTS: Readonly<Amounts> = { credits: 0n, held: 0n, charged: 0n, topups: 0n, shortfall: 0n };

/** Moves an amount from one account to another. */
export function moveAmount(amounts: Amounts, from: LedgerAccount, to: LedgerAccount, amountNano: bigint): void {
  amounts[from] += from === "topups" || from === "shortfall" ? amountNano : -amountNano;
  amounts[to] += amountNano;
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
  yield* insertTransfer(tx, { kind: "topup", organizationId, amountNano, transactionId, responseId: null, createdAt });
  return true;
}

/**
 * Lets no other transaction move an organization's money: the balance, what is held, the budgets. Calls of the
 * same transaction may: between reading them and changing them, a procedure waits for nothing.
 */
export const lockBalance = lock<{ organizationId: string }>(
  "select organization_id from balances where organization_id = :organizationId",
  { isBuffered: true },
);

/** Opens the accounts of a new organization. */
export const openAccounts = write<{ organizationId: string }>(`
  insert into balances (organization_id) values (:organizationId)`);

const selectTransfer = one<{ transactionId: string }, { organizationId: string; amount: string }>(`
  select organization_id           as organizationId,
         cast(amount_nano as text) as amount
    from ledger_transfers
   where public_id = :transactionId`);

const addTopUp = change<{ organizationId: string; amountNano: bigint; beforeNano: bigint }>(`
  update balances
     set credits_nano   = credits_nano + :amountNano,
         topups_nano    = topups_nano + :amountNano,
         topped_up_nano = credits_nano + held_nano + :amountNano
   where organization_id = :organizationId
     and topups_nano <= :beforeNano`);

/** A transfer that is posted: its kind gives its accounts. */
type NewTransfer = Omit<Transfer, "id" | "from" | "to"> & { readonly organizationId: string };

/** Writes a transfer along the route of its kind. */
export function insertTransfer(tx: Transaction, transfer: NewTransfer): Steps<void> {
  const [from, to] = ROUTES[transfer.kind];
  return insertRow(tx, { ...transfer, from, to });
}

const insertRow = write<NewTransfer & Pick<Transfer, "from" | "to">>(`
  insert into ledger_transfers (organization_id, kind, from_account, to_account, amount_nano, public_id, response_id, created_at)
  values (:organizationId, :kind, :from, :to, :amountNano, :transactionId, :responseId, :createdAt)`);

/** MoneyStore.listTransfers. */
export const listTransfers = plainProcedure(
  "aside",
  function* (tx, query: Parameters<MoneyStore["listTransfers"]>[0]): Steps<TransferPage> {
    const { organizationId, limit, only, readsMax } = query;
    const beforeId = query.before ?? ((yield* selectLast(tx, {}))?.id ?? 0) + 1;
    // The table is in the order of its ids: a page of all transfers reads those of other organizations too.
    const afterId = only === "topup" ? 0 : Math.max(0, beforeId - 1 - readsMax);
    const select = only === "topup" ? selectTopUps : selectAll;
    // One more than the page, to know whether there are more.
    const rows = yield* select(tx, { organizationId, beforeId, afterId, limit: limit + 1 });
    const transfers = rows.slice(0, limit).map(decode);
    const end = afterId === 0 ? null : afterId + 1;
    return { transfers, next: rows.length > limit ? (transfers.at(-1)?.id ?? null) : end };
  },
);

/** The transfers of an organization's response, in their order. */
export function* listTransfersOf(
  tx: Transaction,
  query: { organizationId: string; responseId: string },
): Steps<readonly Transfer[]> {
  return (yield* selectOfResponse(tx, query)).map(decode);
}

type Row = Omit<Transfer, "amountNano"> & { readonly amount: string };

function decode({ amount, ...row }: Row): Transfer {
  return { ...row, amountNano: BigInt(amount) };
}

const COLUMNS = `
         id,
         kind,
         from_account              as "from",
         to_account                as "to",
         cast(amount_nano as text) as amount,
         public_id                 as "transactionId",
         response_id               as "responseId",
         created_at                as "createdAt"`;

const selectLast = one<Record<never, never>, { readonly id: number }>(`
  select id
    from ledger_transfers
   order by id desc
   limit 1`);

/** Pages of an organization's transfers, newest first, narrowed by a condition. */
const pageOf = (condition: string) =>
  many<{ organizationId: string; beforeId: number; afterId: number; limit: number }, Row>(`
  select ${COLUMNS}
    from ledger_transfers
   where organization_id = :organizationId
     ${condition}
     and id < :beforeId
     and id > :afterId
   order by id desc
   limit +:limit`);

const selectAll = pageOf("");
const selectTopUps = pageOf("and kind = 'topup'");

/** One select for each index, in the words of its condition. */
const selectOfResponse = many<{ organizationId: string; responseId: string }, Row>(
  `${["kind = 'hold'", "(kind = 'extend' or kind = 'shortfall' or kind = 'release')", "kind in ('settle', 'void')"]
    .map(
      (kinds) => `
  select ${COLUMNS}
    from ledger_transfers
   where response_id = :responseId
     and ${kinds}
     and organization_id || '' = :organizationId`,
    )
    .join(" union all ")}
   order by id`,
);
