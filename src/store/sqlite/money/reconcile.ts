// Reconciling: everything that is recorded about money, worked out anew from the ledger's transfers and the responses. One snapshot,
// row by row: what is kept in memory meanwhile are the holds that are open, a day's rows of usage and a few sums an organization.
import type { Difference, Reconciliation } from "../../../ports/spending.ts";
import type { Connection } from "../database/connection.ts";
import { plain } from "../database/operation.ts";
import { reconcileBudgets } from "./reconcile-budgets.ts";
import type { Compare } from "./reconcile-compare.ts";
import { type AccountSums, NO_TRANSFERS, readLedger } from "./reconcile-ledger.ts";
import { readResponses } from "./reconcile-responses.ts";
import { each } from "../database/statement.ts";

/** Differences that are told one by one; the others are counted. */
const DIFFERENCES_MAX = 1000;

/** SpendingStore.reconcile. */
export const reconcile = plain("aside", (connection, { organizationId }: { organizationId: string | null }) => {
  const differences: Difference[] = [];
  let differencesFound = 0;
  const compare: Compare = (compared, { recorded, expected, ...whose }) => {
    if (recorded === expected) return;
    if (++differencesFound <= DIFFERENCES_MAX) differences.push({ ...whose, compared, recorded, expected });
  };
  const ledger = readLedger(connection, organizationId, compare);
  const responses = readResponses(connection, organizationId, ledger.openHolds, compare);
  const organizations = compareBalances(connection, organizationId, { ledger, responses }, compare);
  const budgetPeriods = reconcileBudgets(connection, organizationId, compare);
  return {
    organizations,
    transfers: ledger.count,
    responses: responses.count,
    budgetPeriods,
    differencesFound,
    differences,
  } satisfies Reconciliation;
});

/** Compares each organization's balances with its transfers and its responses; how many organizations there are. */
function compareBalances(
  connection: Connection,
  organizationId: string | null,
  { ledger, responses }: { ledger: ReturnType<typeof readLedger>; responses: ReturnType<typeof readResponses> },
  compare: Compare,
): number {
  let count = 0;
  for (const row of eachBalance(connection, { organizationId })) {
    count++;
    const sums = ledger.sums.get(row.organizationId) ?? NO_TRANSFERS;
    const { heldNano, chargedNano } = responses.sums.get(row.organizationId) ?? { heldNano: 0n, chargedNano: 0n };
    const whose = { organizationId: row.organizationId, of: null };
    for (const account of ACCOUNTS) {
      compare(`balance.${account}`, { ...whose, recorded: BigInt(row[account]), expected: sums[account] });
    }
    compare("held", { ...whose, recorded: BigInt(row.held), expected: heldNano });
    compare("charged", { ...whose, recorded: BigInt(row.charged), expected: chargedNano });
  }
  return count;
}

const ACCOUNTS = [
  "credits",
  "held",
  "charged",
  "topups",
  "shortfall",
] as const satisfies readonly (keyof AccountSums)[];

type BalanceRow = Readonly<Record<(typeof ACCOUNTS)[number] | "organizationId", string>>;

const eachBalance = each<{ organizationId: string | null }, BalanceRow>(`
  select o.id                                            as organizationId,
         cast(coalesce(b.credits_nano, 0) as text)       as credits,
         cast(coalesce(b.held_nano, 0) as text)          as held,
         cast(coalesce(b.charged_nano, 0) as text)       as charged,
         cast(coalesce(b.topups_nano, 0) as text)        as topups,
         cast(coalesce(b.shortfall_nano, 0) as text)     as shortfall
    from organizations o
    left join balances b on b.organization_id = o.id
   where o.rowid > 0
     and (:organizationId is null or o.id = :organizationId)
   order by o.rowid`);
