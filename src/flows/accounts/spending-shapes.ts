// How budgets, usage and what reconciling found are shown: by the command line and the management interface alike.
import type { UsageGrouping } from "../../contract/spending.ts";
import { creditsAsNumber } from "../../core/accounts/credits.ts";
import type { Budget, Difference, Reconciliation, UsageRow } from "../../ports/spending.ts";

/** A budget in its current period; amounts are credits. */
export function showBudget({ scope, id, period, limitNano, spentNano, heldNano }: Budget) {
  return {
    scope,
    id,
    period,
    limit: creditsAsNumber(limitNano),
    spent: creditsAsNumber(spentNano),
    held: creditsAsNumber(heldNano),
  };
}

/** A row of usage, begun by what it is counted by; a sum over everything has no such beginning. */
export function showUsage(row: UsageRow, by: UsageGrouping | null) {
  return {
    ...(by === null ? {} : GROUPS[by](row)),
    responses: row.responses,
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    output_tokens: row.outputTokens,
    reasoning_tokens: row.reasoningTokens,
    credits: creditsAsNumber(row.chargedNano),
  };
}

const GROUPS: Readonly<Record<UsageGrouping, (row: UsageRow) => Readonly<Record<string, string | null>>>> = {
  key: ({ id, name }) => ({ key: id, name }),
  member: ({ id, name }) => ({ member: id, email: name }),
  model: ({ id }) => ({ model: id }),
  day: ({ id }) => ({ day: id }),
};

/** What reconciling found; amounts are nano-credits and may pass what a number holds, so they are decimal strings. */
export function showReconciliation(reconciliation: Reconciliation) {
  const { organizations, transfers, responses, budgetPeriods, differencesFound, differences } = reconciliation;
  return {
    organizations,
    transfers,
    responses,
    budget_periods: budgetPeriods,
    differences_found: differencesFound,
    differences: differences.map(showDifference),
  };
}

function showDifference({ organizationId, compared, of, recorded, expected }: Difference) {
  return { organization: organizationId, compared, of, recorded: String(recorded), expected: String(expected) };
}
