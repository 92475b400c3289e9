// The balances of organizations as turns change them: read once a commit, changed in memory, written once. An operation
// locks a balance before it finds it here (ledger.ts, lockBalance).
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import { one, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";

/** Nano-credits that go to (or, below zero, leave) each account. */
interface Moves {
  creditsNano: bigint;
  heldNano: bigint;
  chargedNano: bigint;
  shortfallNano: bigint;
}

/** The columns of a balance that turns need. */
interface Read {
  readonly creditsNano: bigint;
  readonly heldNano: bigint;
  /** Credits and holds after the last top-up. */
  readonly toppedUpNano: bigint;
  readonly topUpsNano: bigint;
}

/** A balance and the moves that are not written yet. */
export class Balance {
  /** What may still be spent. */
  creditsNano: bigint;
  /** What running turns hold. */
  heldNano: bigint;
  readonly organizationId: string;
  readonly toppedUpNano: bigint;
  readonly topUpsNano: bigint;
  readonly unwritten: Moves = { creditsNano: 0n, heldNano: 0n, chargedNano: 0n, shortfallNano: 0n };
  isChanged = false;

  constructor(organizationId: string, { creditsNano, heldNano, toppedUpNano, topUpsNano }: Read) {
    this.organizationId = organizationId;
    this.creditsNano = creditsNano;
    this.heldNano = heldNano;
    this.toppedUpNano = toppedUpNano;
    this.topUpsNano = topUpsNano;
  }

  /** credits → held. */
  hold(amountNano: bigint): void {
    this.#move({ creditsNano: -amountNano, heldNano: amountNano });
  }

  /** shortfall → held. */
  holdShortfall(amountNano: bigint): void {
    this.#move({ shortfallNano: amountNano, heldNano: amountNano });
  }

  /** held → charged, and the rest → credits. */
  charge(chargedNano: bigint, leftNano: bigint): void {
    this.#move({ chargedNano, creditsNano: leftNano, heldNano: -chargedNano - leftNano });
  }

  #move({ creditsNano = 0n, heldNano = 0n, chargedNano = 0n, shortfallNano = 0n }: Partial<Moves>): void {
    this.creditsNano += creditsNano;
    this.heldNano += heldNano;
    this.unwritten.creditsNano += creditsNano;
    this.unwritten.heldNano += heldNano;
    this.unwritten.chargedNano += chargedNano;
    this.unwritten.shortfallNano += shortfallNano;
    this.isChanged = true;
  }
}

const BALANCES: RowBuffer<Balance> = rowBuffer();

/** The balance of an organization. */
export function* findBalance(tx: Transaction, organizationId: string): Steps<Balance> {
  const balances = BALANCES(tx);
  const known = balances.get(organizationId);
  if (known !== undefined) return known;
  const row = yield* selectBalance(tx, { organizationId });
  // Another operation of the same transaction may have read it meanwhile.
  const read = balances.get(organizationId);
  if (read !== undefined) return read;
  const balance = new Balance(organizationId, {
    creditsNano: BigInt(row?.credits ?? 0),
    heldNano: BigInt(row?.held ?? 0),
    toppedUpNano: BigInt(row?.toppedUp ?? 0),
    topUpsNano: BigInt(row?.topUps ?? 0),
  });
  balances.set(organizationId, balance);
  return balance;
}

/** Writes the balances that have changed. */
export function* writeBalances(tx: Transaction): Steps<void> {
  for (const { organizationId, isChanged, unwritten } of BALANCES(tx).values()) {
    if (isChanged) yield* moveBalance(tx, { organizationId, ...unwritten });
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

const moveBalance = write<Moves & { organizationId: string }>(`
  update balances
     set credits_nano   = credits_nano + :creditsNano,
         held_nano      = held_nano + :heldNano,
         charged_nano   = charged_nano + :chargedNano,
         shortfall_nano = shortfall_nano + :shortfallNano
   where organization_id = :organizationId`);
