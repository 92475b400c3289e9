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
    ...showGroup(row, by),
    responses: row.responses,
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    output_tokens: row.outputTokens,
    reasoning_tokens: row.reasoningTokens,
    credits: creditsAsNumber(row.chargedNano),
  };
}

function showGroup({ id, name }: UsageRow, by: UsageGrouping | null): Readonly<Record<string, string | null>> {
  switch (by) {
    case "key":
      return { key: id, name };
    case "member":
      return { member: id, email: name };
    case "model":
      return { model: id };
    case "day":
      return { day: id };
    case null:
      return {};
  }
}

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
