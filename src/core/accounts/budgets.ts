// Which budgets there can be: scopes, whose they are, and their periods. docs/product.md (the command line)
import type { BudgetPeriod, BudgetScope } from "../../contract/spending.ts";

/** A budget as it is asked for. */
export interface BudgetRequest {
  readonly scope: BudgetScope;
  /** Id of the key; id or e-mail address of the member. */
  readonly id?: string | undefined;
  readonly period?: BudgetPeriod | undefined;
}

/** A budget by what tells it from the organization's others. */
export interface BudgetName {
  readonly scope: BudgetScope;
  /** Null in the scopes that take none: the organization itself is meant. */
  readonly id: string | null;
  readonly period: BudgetPeriod;
}

interface ScopeRule {
  readonly takesId: boolean;
  /** The one period there is; null: any, `total` when none is given. */
  readonly period: BudgetPeriod | null;
}

const RULES: Readonly<Record<BudgetScope, ScopeRule>> = {
  organization: { takesId: false, period: null },
  "organization-day": { takesId: false, period: "day" },
  member: { takesId: true, period: null },
  key: { takesId: true, period: null },
  // Each response is counted by itself, so there is nothing that a period could begin anew.
  response: { takesId: false, period: "total" },
};

/** Reads which budget is meant; `wrong` says what is missing or contradicts, in the words of the request. */
export function readBudgetName(request: BudgetRequest): BudgetName | { readonly wrong: string } {
  const { scope, id, period } = request;
  const rule = RULES[scope];
  if (rule.takesId && id === undefined) return { wrong: `The scope ${scope} needs the id of the ${scope}.` };
  if (!rule.takesId && id !== undefined) return { wrong: `The scope ${scope} takes no id, and one was given: ${id}.` };
  if (rule.period !== null && period !== undefined && period !== rule.period) {
    const only = scope === "response" ? "takes no period" : `has the period ${rule.period}`;
    return { wrong: `The scope ${scope} ${only}, and ${period} was given.` };
  }
  return { scope, id: id ?? null, period: rule.period ?? period ?? "total" };
}
