// Reconciles the ledger with itself: balances computed from transfers, and every hold opened and closed once.
import type { LedgerAccount, TransferKind } from "../../contract/money.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type Amounts, moveAmount, NO_AMOUNTS, ROUTES } from "./ledger.ts";
import { type Compare, readAll, type Reconciled } from "./reconcile-compare.ts";
import { many, one } from "../engine/statement.ts";

/** The transfers of one response, added up. */
interface Hold {
  readonly organizationId: string;
  readonly amounts: Amounts;
  holds: number;
  settlements: number;
}

/** Holds by response id. */
export type OpenHolds = Map<string, Hold>;

/** Balances by organization, the holds that are still open, and the number of transfers. */
export interface LedgerSums {
  readonly sums: ReadonlyMap<string, Readonly<Amounts>>;
  readonly openHolds: OpenHolds;
  readonly count: number;
}

/**
 * Reads all transfers in order. A hold is compared as soon as it is closed and then dropped, so that memory holds no
 * more of them than ran at the same time.
 */
export function* readLedger(tx: Transaction, organizationId: string | null, compare: Compare): Steps<LedgerSums> {
  const sums = new Map<string, Amounts>();
  const openHolds: OpenHolds = new Map();
  let count = 0;
  const transfers = readAll((page) => selectTransfers(tx, { organizationId, ...page }));
  for (let row = yield* transfers.next(); row !== undefined; row = yield* transfers.next()) {
    count++;
    const amountNano = BigInt(row.amount);
    const sum = sums.get(row.organizationId) ?? { ...NO_AMOUNTS };
    sums.set(row.organizationId, sum);
    moveAmount(sum, row.from, row.to, amountNano);
    const [from, to] = ROUTES[row.kind as TransferKind] ?? [];
    const keepsRoute = row.from === from && row.to === to;
    compare("transfer.accounts", {
      organizationId: row.organizationId,
      of: String(row.rowid),
      recorded: keepsRoute ? 1n : 0n,
      expected: 1n,
    });
    if (row.responseId !== null) yield* addToHold(tx, openHolds, { ...row, responseId: row.responseId }, compare);
  }
  return { sums, openHolds, count };
}

function* addToHold(
  tx: Transaction,
  openHolds: OpenHolds,
  { organizationId, responseId, kind, from, to, amount }: TransferRow & { responseId: string },
  compare: Compare,
): Steps<void> {
  const hold = openHolds.get(responseId) ?? { organizationId, amounts: { ...NO_AMOUNTS }, holds: 0, settlements: 0 };
  const { amounts } = hold;
  moveAmount(amounts, from, to, BigInt(amount));
  if (kind === "hold") hold.holds++;
  if (kind === "settle" || kind === "void") hold.settlements++;
  openHolds.set(responseId, hold);
  if (hold.settlements === 0 || amounts.held !== 0n) return;
  openHolds.delete(responseId);
  compareCounts(responseId, hold, compare);
  // A withdrawn response leaves only a voided hold behind; a charged hold must have a response.
  if (amounts.charged === 0n || (yield* selectResponse(tx, { responseId })) !== undefined) return;
  compare("response.charged", { organizationId, of: responseId, recorded: 0n, expected: amounts.charged });
}

/**
 * Expects at most one hold (a response that seemed to cost nothing has none and is extended at once), and exactly one
 * settlement or voiding; none yet for a running response.
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
  readonly rowid: number;
  readonly organizationId: string;
  readonly responseId: string | null;
  readonly kind: string;
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly amount: string;
}

/** Every transfer by its number. */
const selectTransfers = many<Reconciled, TransferRow>(`
  select id                        as rowid,
         organization_id           as organizationId,
         response_id               as responseId,
         kind,
         from_account              as "from",
         to_account                as "to",
         cast(amount_nano as text) as amount
    from ledger_transfers
   where id > :after
     and (cast(:organizationId as text) is null or organization_id = :organizationId)
   order by id
   limit +:limit`);

const selectResponse = one<{ responseId: string }, { id: number }>(`
  select id
    from responses
   where public_id = :responseId`);
