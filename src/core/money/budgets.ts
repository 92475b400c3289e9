// The kinds of budgets: their scopes, owners and periods. docs/command-line.md
import { BUDGET_PERIODS, BUDGET_SCOPES, type BudgetPeriod, type BudgetScope } from "../../contract/money.ts";

/** A budget as a request names it. */
export interface BudgetRequest {
  readonly scope: BudgetScope;
  /** Id of the key; id or e-mail address of the member. */
  readonly id?: string | undefined;
  readonly period?: BudgetPeriod | undefined;
}

/** The fields that identify a budget within its organization. */
export interface BudgetName {
  readonly scope: BudgetScope;
  /** Null in the scopes that take none: they apply to the organization. */
  readonly id: string | null;
  readonly period: BudgetPeriod;
}

/** A budget's name as a text, in the audit log and in events: `key key_1 month`, `organization-day`. */
export function describeBudget({ scope, id, period }: BudgetName): string {
  if (RULES[scope].period !== null) return scope;
  return id === null ? `${scope} ${period}` : `${scope} ${id} ${period}`;
}

/** The name that `describeBudget` wrote; null: the text is no name of a budget. */
export function parseBudget(text: string): BudgetName | null {
  const words = text.split(" ");
  const scope = BUDGET_SCOPES.find((each) => each === words[0]);
  if (scope === undefined) return null;
  const period = RULES[scope].period ?? BUDGET_PERIODS.find((each) => each === words.at(-1));
  if (period === undefined) return null;
  const name = { scope, id: RULES[scope].takesId ? (words[1] ?? null) : null, period };
  return describeBudget(name) === text ? name : null;
}

/** The amounts that decide what a budget may spend. */
interface Limited {
  readonly limitNano: bigint;
  readonly raise?: { readonly amountNano: bigint };
}

/** What a budget may spend now: its limit, with the raise that is in force; nano-credits. */
export function limitNow({ limitNano, raise }: Limited): bigint {
  return limitNano + (raise?.amountNano ?? 0n);
}

interface ScopeRule {
  readonly takesId: boolean;
  /** The only period allowed; null: any, `total` by default. */
  readonly period: BudgetPeriod | null;
}

const RULES: Readonly<Record<BudgetScope, ScopeRule>> = {
  organization: { takesId: false, period: null },
  "organization-day": { takesId: false, period: "day" },
  member: { takesId: true, period: null },
  key: { takesId: true, period: null },
  // Each response is counted by itself, so no period applies.
  response: { takesId: false, period: "total" },
};

/** Reads which budget a request names; `wrong` is a message about what is missing or contradictory. */
export function readBudgetName(request: BudgetRequest): BudgetName | { readonly wrong: string } {
  const { scope, id, period } = request;
  const rule = RULES[scope];
  if (rule.takesId && id === undefined) return { wrong: `The scope ${scope} needs the id of the ${scope}.` };
  if (!rule.takesId && id !== undefined) return { wrong: `The scope ${scope} takes no id, but ${id} was given.` };
  if (rule.period !== null && period !== undefined && period !== rule.period) {
    const only = scope === "response" ? "takes no period" : `always has the period ${rule.period}`;
    return { wrong: `The scope ${scope} ${only}, but ${period} was given.` };
  }
  return { scope, id: id ?? null, period: rule.period ?? period ?? "total" };
}
