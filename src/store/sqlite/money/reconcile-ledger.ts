// Reconciling the ledger with itself: what its transfers make of each account, and that every hold is opened and closed once.
import type { Connection } from "../database/connection.ts";
import type { Compare } from "./reconcile-compare.ts";
import { each, one } from "../database/statement.ts";

/** What transfers leave in an organization's accounts; what was paid in and what the service bears count what left them. */
export interface AccountSums {
  readonly credits: bigint;
  readonly held: bigint;
  readonly charged: bigint;
  readonly topups: bigint;
  readonly shortfall: bigint;
}

export const NO_TRANSFERS: AccountSums = { credits: 0n, held: 0n, charged: 0n, topups: 0n, shortfall: 0n };

/** What the transfers of one response have come to. */
interface Hold {
  readonly organizationId: string;
  heldNano: bigint;
  chargedNano: bigint;
  holds: number;
  settlements: number;
}

/** Holds by the response that they are for. */
export type OpenHolds = Map<string, Hold>;

/**
 * Reads all transfers in their order. A hold whose end has come is compared at once and forgotten, so that no more are kept than ran
 * at the same time.
 */
export function readLedger(
  connection: Connection,
  organizationId: string | null,
  compare: Compare,
): { sums: ReadonlyMap<string, AccountSums>; openHolds: OpenHolds; count: number } {
  const sums = new Map<string, Record<keyof AccountSums, bigint>>();
  const openHolds: OpenHolds = new Map();
  let count = 0;
  for (const row of eachTransfer(connection, { organizationId })) {
    count++;
    const amountNano = BigInt(row.amount);
    const sum = sums.get(row.organizationId) ?? { ...NO_TRANSFERS };
    sums.set(row.organizationId, sum);
    sum[row.from] += isCounterpart(row.from) ? amountNano : -amountNano;
    sum[row.to] += amountNano;
    const [from, to] = ROUTES[row.kind] ?? [];
    const keepsRoute = row.from === from && row.to === to;
    compare("transfer.accounts", {
      organizationId: row.organizationId,
      of: String(row.id),
      recorded: keepsRoute ? 1n : 0n,
      expected: 1n,
    });
    if (row.responseId !== null) addToHold(connection, openHolds, { ...row, responseId: row.responseId }, compare);
  }
  return { sums, openHolds, count };
}

/** The two accounts from which money comes in: their balance is what has left them. */
function isCounterpart(account: keyof AccountSums): boolean {
  return account === "topups" || account === "shortfall";
}

const ROUTES: Readonly<Record<string, readonly [keyof AccountSums, keyof AccountSums]>> = {
  topup: ["topups", "credits"],
  hold: ["credits", "held"],
  extend: ["credits", "held"],
  shortfall: ["shortfall", "held"],
  settle: ["held", "charged"],
  release: ["held", "credits"],
  void: ["held", "credits"],
};

function addToHold(
  connection: Connection,
  openHolds: OpenHolds,
  { organizationId, responseId, kind, from, to, amount }: TransferRow & { responseId: string },
  compare: Compare,
): void {
  const amountNano = BigInt(amount);
  const hold = openHolds.get(responseId) ?? {
    organizationId,
    heldNano: 0n,
    chargedNano: 0n,
    holds: 0,
    settlements: 0,
  };
  if (to === "held") hold.heldNano += amountNano;
  if (from === "held") hold.heldNano -= amountNano;
  if (to === "charged") hold.chargedNano += amountNano;
  if (kind === "hold") hold.holds++;
  if (kind === "settle" || kind === "void") hold.settlements++;
  openHolds.set(responseId, hold);
  if (hold.settlements === 0 || hold.heldNano !== 0n) return;
  openHolds.delete(responseId);
  compareCounts(responseId, hold, compare);
  // Of a response that was withdrawn only a voided hold remains; a charged one has a response that says so.
  if (hold.chargedNano === 0n || selectResponse(connection, { responseId }) !== undefined) return;
  compare("response.charged", { organizationId, of: responseId, recorded: 0n, expected: hold.chargedNano });
}

/**
 * At most one hold (a turn that seemed to cost nothing has none, and is extended at once), and one settlement or voiding; a response
 * that runs has none yet.
 */
export function compareCounts(
  responseId: string,
  { organizationId, holds, settlements }: Hold,
  compare: Compare,
  isRunning = false,
): void {
  const whose = { organizationId, of: responseId };
  compare("response.holds", { ...whose, recorded: BigInt(holds), expected: holds === 0 ? 0n : 1n });
  compare("response.settlements", { ...whose, recorded: BigInt(settlements), expected: isRunning ? 0n : 1n });
}

interface TransferRow {
  readonly id: number;
  readonly organizationId: string;
  readonly responseId: string | null;
  readonly kind: string;
  readonly from: keyof AccountSums;
  readonly to: keyof AccountSums;
  readonly amount: string;
}

/** Every transfer by its number: `id > 0` holds of each, and says that the whole table is meant to be read. */
const eachTransfer = each<{ organizationId: string | null }, TransferRow>(`
  select id,
         organization_id           as organizationId,
         response_id               as responseId,
         kind,
         from_account              as "from",
         to_account                as "to",
         cast(amount_nano as text) as amount
    from ledger_transfers
   where id > 0
     and (:organizationId is null or organization_id = :organizationId)
   order by id`);

const selectResponse = one<{ responseId: string }, { id: number }>(`
  select id
    from responses
   where public_id = :responseId`);
