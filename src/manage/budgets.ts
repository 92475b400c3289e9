// Budgets: spending limits of an organization, a member, a key or a single response. docs/management.md
import Type, { type Static } from "typebox";
import { MANAGERS } from "../contract/manage/roles.ts";
import { budgetName, seconds, time } from "../contract/manage/resource-fields.ts";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../contract/money.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { billingDayOf, firstDayOf } from "../core/money/billing-day.ts";
import { limitNow } from "../core/money/budgets.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { forecastEnd } from "../core/money/shares.ts";
import { readAmount, readName } from "../flows/accounts/amounts.ts";
import { secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/money.ts";
import { setterOf } from "./ceilings.ts";
import { credits, list, text, TIME } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { BudgetTrial, tryOrganizationBudget } from "./trials.ts";

const named = {
  scope: oneOf(BUDGET_SCOPES),
  id: Type.Optional(text("the key, by id, or the member, by id or e-mail address")),
  period: Type.Optional(oneOf(BUDGET_PERIODS)),
};
const NAMED = {
  scope: { help: "what the budget limits" },
  period: { help: "UTC day, calendar month or everything (default: total; organization-day and response have none)" },
};
const LIMIT = { flags: "--limit <credits>" };

export const Budget = Type.Object({
  ...budgetName,
  limit: Type.Number({ description: "in force, without a raise" }),
  ceiling: Type.Optional(
    Type.Number({ description: "the operator's limit, which nobody else can loosen; present only if there is one" }),
  ),
  own_limit: Type.Optional(
    orNull(Type.Number(), {
      description:
        "the organization's own limit, present beside a ceiling; the lower one of both is in force; null: none",
    }),
  ),
  raise: Type.Optional(
    Type.Object(
      { amount: Type.Number(), until: seconds },
      { description: "what may be spent in addition until then; present only while it is in force" },
    ),
  ),
  spent: Type.Number(),
  held: Type.Number(),
  used_up_at: orNull(
    time(
      "the forecast, Unix seconds: when its limit (raise included) is spent at the pace of its period so far; null: not within the period",
    ),
  ),
});

/** A budget in its current period; amounts are credits. */
export function presentBudget({ scope, id, period, limitNano, raise, spentNano, heldNano }: stored.Budget) {
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

/** As `presentBudget`, with its forecast and both limits. */
export function presentWithLimits(budget: stored.Budget, nowMs: number): Static<typeof Budget> {
  const { period, ceiling, spentNano } = budget;
  const periodFrom = firstDayOf(period, billingDayOf(nowMs));
  const usedUpAtMs = forecastEnd({ period, periodFrom, limitNano: limitNow(budget), spentNano }, nowMs);
  const shown = { ...presentBudget(budget), used_up_at: usedUpAtMs === null ? null : secondsOf(usedUpAtMs) };
  if (ceiling === undefined) return shown;
  const { limitNano: ceilingNano, ownNano } = ceiling;
  return {
    ...shown,
    ceiling: creditsAsNumber(ceilingNano),
    own_limit: ownNano === null ? null : creditsAsNumber(ownNano),
  };
}

const listBudgets = operation({
  route: "GET /organizations/:organization_id/budgets",
  roles: MANAGERS,
  summary: "List the budgets",
  description: "With the amounts of the current period.",
  isLong: true,
  command: { words: "budgets list", whenEmpty: "The organization has no budget yet." },
  output: { BudgetList: list(Budget) },
  async run({ store, organization, nowMs }) {
    const budgets = await store.listBudgets({ organizationId: organization.id });
    return { data: budgets.map((budget) => presentWithLimits(budget, nowMs)) };
  },
});

const setBudget = operation({
  route: "POST /organizations/:organization_id/budgets",
  roles: MANAGERS,
  summary: "Set the limit of a budget",
  description:
    "The default period is `total`; `organization-day` and `response` have none. What the operator sets is a ceiling: owners and admins may set a lower limit, and get 403 `access_denied` for a higher one.",
  // A new budget sums the past.
  isLong: true,
  command: { words: "budgets set", options: { ...NAMED, limit: LIMIT } },
  input: { ...named, limit: credits("the number of credits, 0 or more, in steps of a millionth") },
  output: { Budget },
  async run(context, { limit, ...given }) {
    const { store, by, organization, nowMs } = context;
    const limitNano = readAmount("limit", limit);
    const name = readName(given);
    const budget = { organizationId: organization.id, name };
    const spentBefore = await store.sumSpentBefore(budget);
    const set = { ...budget, limitNano, spentBefore, by, setBy: setterOf(context) };
    return presentWithLimits(await store.setBudget(set), nowMs);
  },
});

const UNTIL = { flags: "--until <time>", help: `the end, within the next 366 days: ${TIME.allowed}`, read: TIME };

const raiseBudget = operation({
  route: "POST /organizations/:organization_id/budgets/raise",
  roles: MANAGERS,
  summary: "Raise a budget for a while",
  description:
    "The raise ends by itself, by the store's clock. It replaces an earlier one of the same budget. Only the operator can raise a budget beyond the operator's limit.",
  command: {
    words: "budgets raise",
    options: { ...NAMED, amount: { flags: "--by <credits>" }, until: UNTIL },
    optional: ["until"],
    // Without an end, only the amount 0 is valid.
    complete: async ({ until = 0 }) => ({ until }),
  },
  input: {
    ...named,
    amount: credits("the number of credits in addition to the limit, in steps of a millionth; 0 ends a raise"),
    until: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000_000,
      description: "Unix seconds, within the next 366 days; any with the amount 0",
    }),
  },
  output: { Budget },
  async run(context, { amount, until, ...given }) {
    const { store, by, organization, nowMs } = context;
    const raise = { amountNano: readAmount("amount", amount), untilMs: until * 1000 };
    const name = readName(given);
    const raised = { organizationId: organization.id, name, raise, by, setBy: setterOf(context) };
    return presentWithLimits(await store.raiseBudget(raised), nowMs);
  },
});

const clearBudget = operation({
  route: "POST /organizations/:organization_id/budgets/clear",
  roles: MANAGERS,
  summary: "Remove a budget",
  description:
    "Owners and admins remove their own limit: that of the operator stays in force, and a budget that only the operator has set is a 403 `access_denied`. The operator removes the operator's limit first, and a second time the organization's own.",
  command: { words: "budgets clear", options: NAMED },
  input: named,
  output: { Budget },
  async run(context, given) {
    const { store, by, organization, nowMs } = context;
    const name = readName(given);
    const cleared = { organizationId: organization.id, name, by, setBy: setterOf(context) };
    return presentWithLimits(await store.clearBudget(cleared), nowMs);
  },
});

const tryBudget = operation({
  route: "GET /organizations/:organization_id/budgets/trial",
  isLong: true,
  roles: MANAGERS,
  summary: "Try a budget on the last month",
  description:
    "What a budget would have rejected since the beginning of its period 30 days ago, before it is set. Nothing is changed. The parameters are the fields of the body that sets it; the scope `response` cannot be tried.",
  command: { words: "budgets try", options: { ...NAMED, limit: LIMIT }, whenEmpty: "There were no turns." },
  input: { ...named, limit: credits("credits, a decimal down to a millionth") },
  output: { BudgetTrial },
  async run({ store, clock, organization }, { limit, ...name }) {
    const budget = { name: readName(name), limitNano: readAmount("limit", limit) };
    return tryOrganizationBudget({ store, clock }, organization.id, budget);
  },
});

/** In the order of their commands. */
export const BUDGETS = {
  tag: "Money",
  about: "spending limits of an organization, a member, a key or a single response",
  operations: {
    setBudget,
    tryBudget,
    raiseBudget,
    clearBudget,
    listBudgets,
  },
} as const satisfies Subject;
