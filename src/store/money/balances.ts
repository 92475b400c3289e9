// The balances of organizations as responses change them: read once a commit, changed in memory, written once. A
// procedure locks a balance before it finds it here (ledger.ts, lockBalance).
import type { TransferKind } from "../../contract/money.ts";
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import { one, write } from "../engine/statement.ts";
import { finished, type Steps, type Transaction } from "../engine/transaction.ts";
import { type Amounts, insertTransfer, moveAmount, NO_AMOUNTS, ROUTES } from "./ledger.ts";

/** A balance as it was read, and what transfers have moved since, which is not written yet. */
export interface Balance {
  readonly organizationId: string;
  readonly read: Pick<Amounts, "credits" | "held" | "topups">;
  /** Credits and holds after the last top-up. */
  readonly toppedUpNano: bigint;
  readonly moved: Amounts;
}

/** What may still be spent. */
export function creditsOf({ read, moved }: Balance): bigint {
  return read.credits + moved.credits;
}

/** What may still be spent, and what running responses hold. */
export function fundsOf({ read, moved }: Balance): bigint {
  return read.credits + moved.credits + read.held + moved.held;
}

/** A transfer of a response. */
export interface ResponseTransfer {
  readonly kind: Exclude<TransferKind, "topup">;
  readonly amountNano: bigint;
  readonly responseId: string;
  readonly createdAt: number;
}

/** Posts a transfer and moves its amount on the balance; an amount of zero is no transfer. */
export function postTransfer(tx: Transaction, balance: Balance, transfer: ResponseTransfer): Steps<void> {
  if (transfer.amountNano === 0n) return finished(undefined);
  const [from, to] = ROUTES[transfer.kind];
  moveAmount(balance.moved, from, to, transfer.amountNano);
  return insertTransfer(tx, { organizationId: balance.organizationId, transactionId: null, ...transfer });
}

const BALANCES: RowBuffer<Balance> = rowBuffer();

/** The balance of an organization. */
export function* findBalance(tx: Transaction, organizationId: string): Steps<Balance> {
  const balances = BALANCES(tx);
  const known = balances.get(organizationId);
  if (known !== undefined) return known;
  const row = yield* selectBalance(tx, { organizationId });
  // Another call of the same transaction may have read it meanwhile.
  const found = balances.get(organizationId);
  if (found !== undefined) return found;
  const balance: Balance = {
    organizationId,
    read: { credits: BigInt(row?.credits ?? 0), held: BigInt(row?.held ?? 0), topups: BigInt(row?.topUps ?? 0) },
    toppedUpNano: BigInt(row?.toppedUp ?? 0),
    moved: { ...NO_AMOUNTS },
  };
  balances.set(organizationId, balance);
  return balance;
}

/** Writes the balances that have changed. */
export function* writeBalances(tx: Transaction): Steps<void> {
  for (const { organizationId, moved } of BALANCES(tx).values()) {
    if (Object.values(moved).some((nano) => nano !== 0n)) yield* moveBalance(tx, { organizationId, ...moved });
  }
}

const selectBalance = one<
  { organizationId: string },
  { readonly credits: string; readonly held: string; readonly toppedUp: string; readonly topUps: string }
>(`
  select cast(credits_nano as text)   as credits,
         cast(held_nano as text)      as held,
         cast(topped_up_nano as text) as toppedUp,
         cast(topups_nano as text)    as topUps
    from balances
   where organization_id = :organizationId`);

const moveBalance = write<Omit<Amounts, "topups"> & { organizationId: string }>(`
  update balances
     set credits_nano   = credits_nano + :credits,
         held_nano      = held_nano + :held,
         charged_nano   = charged_nano + :charged,
         shortfall_nano = shortfall_nano + :shortfall
   where organization_id = :organizationId`);
