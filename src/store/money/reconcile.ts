// Reconciles everything that is recorded about money with the ledger's transfers and the responses. It reads one
// snapshot row by row; memory holds the open holds, an hour's rows of usage and a few sums per organization.
import { LEDGER_ACCOUNTS, type LedgerAccount } from "../../contract/money.ts";
import type { Difference, Reconciliation } from "../../ports/store/money.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { NO_AMOUNTS } from "./ledger.ts";
import { reconcileBudgets } from "./reconcile-budgets.ts";
import { type Compare, readAll, type Reconciled } from "./reconcile-compare.ts";
import { type LedgerSums, readLedger } from "./reconcile-ledger.ts";
import { readResponses, type ResponseSums } from "./reconcile-responses.ts";
import { many } from "../engine/statement.ts";

/** Differences listed one by one; further ones are only counted. */
const DIFFERENCES_MAX = 1000;

/** MoneyStore.reconcile. */
export const reconcile = plainProcedure("aside", function* (tx, { organizationId }: { organizationId: string | null }) {
  const differences: Difference[] = [];
  let differencesFound = 0;
  const compare: Compare = (compared, { recorded, expected, ...whose }) => {
    if (recorded === expected) return;
    if (++differencesFound <= DIFFERENCES_MAX) differences.push({ ...whose, compared, recorded, expected });
  };
  const ledger = yield* readLedger(tx, organizationId, compare);
  const responses = yield* readResponses(tx, organizationId, ledger.openHolds, compare);
  const organizations = yield* compareBalances(tx, organizationId, { ledger, responses }, compare);
  const budgetPeriods = yield* reconcileBudgets(tx, organizationId, compare);
  return {
    organizations,
    transfers: ledger.count,
    responses: responses.count,
    budgetPeriods,
    differencesFound,
    differences,
  } satisfies Reconciliation;
});

/** Compares each organization's balances with its transfers and its responses. Returns the number of organizations. */
function* compareBalances(
  tx: Transaction,
  organizationId: string | null,
  { ledger, responses }: { ledger: LedgerSums; responses: ResponseSums },
  compare: Compare,
): Steps<number> {
  let count = 0;
  const balances = readAll((page) => selectBalances(tx, { organizationId, ...page }));
  for (let row = yield* balances.next(); row !== undefined; row = yield* balances.next()) {
    count++;
    const sums = ledger.sums.get(row.organizationId) ?? NO_AMOUNTS;
    const { heldNano, chargedNano } = responses.sums.get(row.organizationId) ?? { heldNano: 0n, chargedNano: 0n };
    const whose = { organizationId: row.organizationId, of: null };
    for (const account of LEDGER_ACCOUNTS) {
      compare(`balance.${account}`, { ...whose, recorded: BigInt(row[account]), expected: sums[account] });
    }
    compare("held", { ...whose, recorded: BigInt(row.held), expected: heldNano });
    compare("charged", { ...whose, recorded: BigInt(row.charged), expected: chargedNano });
  }
  return count;
}

type BalanceRow = Readonly<Record<LedgerAccount | "organizationId", string>> & { readonly rowid: number };

const selectBalances = many<Reconciled, BalanceRow>(`
  select o.rowid,
         o.id                                            as organizationId,
         cast(coalesce(b.credits_nano, 0) as text)       as credits,
         cast(coalesce(b.held_nano, 0) as text)          as held,
         cast(coalesce(b.charged_nano, 0) as text)       as charged,
         cast(coalesce(b.topups_nano, 0) as text)        as topups,
         cast(coalesce(b.shortfall_nano, 0) as text)     as shortfall
    from organizations o
    left join balances b on b.organization_id = o.id
   where o.rowid > :after
     and (cast(:organizationId as text) is null or o.id = :organizationId)
   order by o.rowid
   limit +:limit`);
