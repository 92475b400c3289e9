// JSON of budgets, usage and reconciliations, for the command line and the management interface.
import type { UsageGrouping } from "../../contract/money.ts";
import { creditsAsNumber } from "../../core/money/credits.ts";
import type { Budget, Difference, Reconciliation, UsageRow, UsageSums } from "../../ports/store/money.ts";

/** A budget in its current period; amounts are credits. */
export function presentBudget({ scope, id, period, limitNano, spentNano, heldNano }: Budget) {
  return {
    scope,
    id,
    period,
    limit: creditsAsNumber(limitNano),
    spent: creditsAsNumber(spentNano),
    held: creditsAsNumber(heldNano),
  };
}

/** A row of usage, starting with the fields of its group; a total has none. */
export function presentUsage(row: UsageRow, by: UsageGrouping | null) {
  return { ...(by === null ? {} : GROUPS[by](row)), ...presentSums(row) };
}

/** The figures of usage. */
export function presentSums(row: UsageSums) {
  return {
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

/** Amounts are nano-credits as decimal strings, since they may exceed the integers that a number can hold. */
export function presentReconciliation(reconciliation: Reconciliation) {
  const { organizations, transfers, responses, budgetPeriods, differencesFound, differences } = reconciliation;
  return {
    organizations,
    transfers,
    responses,
    budget_periods: budgetPeriods,
    differences_found: differencesFound,
    differences: differences.map(presentDifference),
  };
}

function presentDifference({ organizationId, compared, of, recorded, expected }: Difference) {
  return { organization: organizationId, compared, of, recorded: String(recorded), expected: String(expected) };
}
