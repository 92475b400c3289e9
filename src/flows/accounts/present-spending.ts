// JSON of budgets, usage and reconciliations, for the command line and the management interface.
import type { UsageGrouping } from "../../contract/money.ts";
import { creditsAsNumber } from "../../core/money/credits.ts";
import { secondsOf } from "../../ports/clock.ts";
import type {
  Budget,
  Difference,
  KeyBudget,
  Reconciliation,
  Transfer,
  UsageGroup,
  UsageRow,
  UsageSums,
} from "../../ports/store/money.ts";

const DAY_SECONDS = 86_400;

/** A budget in its current period; amounts are credits. */
export function presentBudget({ scope, id, period, limitNano, raise, spentNano, heldNano }: Budget) {
  return {
    scope,
    id,
    period,
    limit: creditsAsNumber(limitNano),
    ...(raise === undefined
      ? {}
      : { raise: { amount: creditsAsNumber(raise.amountNano), until: secondsOf(raise.untilMs) } }),
    spent: creditsAsNumber(spentNano),
    held: creditsAsNumber(heldNano),
  };
}

/** A budget as the holder of a key sees it: what is left of it, and when it starts again, in Unix seconds. */
export function presentKeyBudget({ scope, period, limitNano, leftNano, heldNano, resetsOnDay, increase }: KeyBudget) {
  return {
    scope,
    period,
    limit: creditsAsNumber(limitNano),
    left: creditsAsNumber(leftNano),
    held: creditsAsNumber(heldNano),
    resets_at: resetsOnDay === null ? null : resetsOnDay * DAY_SECONDS,
    ...(increase === undefined
      ? {}
      : { increase: { amount: creditsAsNumber(increase.amountNano), at: secondsOf(increase.atMs) } }),
  };
}

/** A row of usage, starting with the fields of its groups; a total has none. */
export function presentUsage(row: UsageRow, by: readonly UsageGrouping[]) {
  const groups = row.groups.flatMap((group, at) => {
    const grouping = by[at];
    return grouping === undefined ? [] : [GROUPS[grouping](group)];
  });
  return { ...Object.assign({}, ...groups), ...presentSums(row) };
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

type GroupFields = Readonly<Record<string, string | null>>;

const GROUPS: Readonly<Record<UsageGrouping, (group: UsageGroup) => GroupFields>> = {
  organization: ({ id, name }) => ({ organization: id, organization_name: name }),
  key: ({ id, name }) => ({ key: id, name }),
  member: ({ id, name }) => ({ member: id, email: name }),
  model: ({ id }) => ({ model: id }),
  day: ({ id }) => ({ day: id }),
  hour: ({ id }) => ({ hour: id }),
  month: ({ id }) => ({ month: id }),
};

/** A transfer of the ledger. */
export function presentTransfer({ id, createdAt, kind, from, to, amountNano, responseId, transactionId }: Transfer) {
  const amount = creditsAsNumber(amountNano);
  return { id, at: createdAt, kind, from, to, amount, response: responseId, transaction_id: transactionId };
}

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
