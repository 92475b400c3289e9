// Budgets: spending limits of an organization, a member, a key or a single response, and what holders of keys ask for
// beyond them. docs/management.md
import Type, { type Static } from "typebox";
import { notFound } from "../contract/errors.ts";
import { MANAGERS } from "../contract/manage/roles.ts";
import { budgetName, seconds } from "../contract/manage/resource-fields.ts";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../contract/money.ts";
import { oneOf } from "../contract/one-of.ts";
import { orNull } from "../contract/or-null.ts";
import { billingDayOf, firstDayOf } from "../core/money/billing-day.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { forecastEnd } from "../core/money/shares.ts";
import { readAmount, readName } from "../flows/accounts/amounts.ts";
import { tryOrganizationBudget } from "../flows/accounts/trials.ts";
import { secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/money.ts";
import { credits, Done, list, text, TIME } from "./fields.ts";
import { operation, type Subject } from "./operation.ts";

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

const Budget = Type.Object({
  ...budgetName,
  limit: Type.Number({ description: "without a raise" }),
  raise: Type.Optional(
    Type.Object(
      { amount: Type.Number(), until: seconds },
      { description: "what may be spent in addition until then; present only while it is in force" },
    ),
  ),
  spent: Type.Number(),
  held: Type.Number(),
  used_up_at: orNull(
    Type.Integer({
      description:
        "the forecast, Unix seconds: when its limit (raise included) is spent at the pace of its period so far; null: not within the period",
    }),
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

function present(budget: stored.Budget, nowMs: number): Static<typeof Budget> {
  const { period, limitNano, raise, spentNano } = budget;
  const limitNow = limitNano + (raise?.amountNano ?? 0n);
  const periodFrom = firstDayOf(period, billingDayOf(nowMs));
  const usedUpAtMs = forecastEnd({ period, periodFrom, limitNano: limitNow, spentNano }, nowMs);
  return { ...presentBudget(budget), used_up_at: usedUpAtMs === null ? null : secondsOf(usedUpAtMs) };
}

const listBudgets = operation({
  route: "GET /organizations/:organization_id/budgets",
  roles: MANAGERS,
  summary: "List the budgets",
  description: "With the amounts of the current period.",
  command: { words: "budgets list", whenEmpty: "The organization has no budget yet." },
  output: { BudgetList: list(Budget) },
  async run({ store, organization, nowMs }) {
    const budgets = await store.listBudgets({ organizationId: organization.id });
    return { data: budgets.map((budget) => present(budget, nowMs)) };
  },
});

const setBudget = operation({
  route: "POST /organizations/:organization_id/budgets",
  roles: MANAGERS,
  summary: "Set the limit of a budget",
  description: "The default period is `total`; `organization-day` and `response` have none.",
  command: { words: "budgets set", options: { ...NAMED, limit: LIMIT } },
  input: { ...named, limit: credits("the number of credits, 0 or more, in steps of a millionth") },
  output: { Budget },
  async run({ store, by, organization, nowMs }, { limit, ...name }) {
    const limitNano = readAmount("limit", limit);
    const budget = { organizationId: organization.id, name: readName(name), limitNano, by };
    return present(await store.setBudget(budget), nowMs);
  },
});

const raiseBudget = operation({
  route: "POST /organizations/:organization_id/budgets/raise",
  roles: MANAGERS,
  summary: "Raise a budget for a while",
  description: "The raise ends by itself, by the store's clock. It replaces an earlier one of the same budget.",
  command: {
    words: "budgets raise",
    options: { ...NAMED, amount: { flags: "--by <credits>" }, until: { flags: "--until <time>", ...TIME } },
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
  async run({ store, by, organization, nowMs }, { amount, until, ...name }) {
    const raise = { amountNano: readAmount("amount", amount), untilMs: until * 1000 };
    return present(
      await store.raiseBudget({ organizationId: organization.id, name: readName(name), raise, by }),
      nowMs,
    );
  },
});

const clearBudget = operation({
  route: "POST /organizations/:organization_id/budgets/clear",
  roles: MANAGERS,
  summary: "Remove a budget",
  command: { words: "budgets clear", options: NAMED },
  input: named,
  output: { Budget },
  async run({ store, by, organization, nowMs }, name) {
    return present(await store.clearBudget({ organizationId: organization.id, name: readName(name), by }), nowMs);
  },
});

const sums = { responses: Type.Integer(), credits: Type.Number({ description: "credits charged" }) };

const BudgetTrial = Type.Object({
  ...budgetName,
  limit: Type.Number(),
  from: Type.Integer({ description: "turns that began at this Unix second or later were tried" }),
  to: Type.Integer({ description: "turns that began before this Unix second" }),
  ...sums,
  rejected_responses: Type.Integer({
    description:
      "turns after the hour in which the limit is reached. Some of that hour, and turns for which too little is left to reserve, would be rejected too",
  }),
  rejected_credits: Type.Number({ description: "what those turns cost" }),
  periods: Type.Array(
    Type.Object({
      from: seconds,
      to: orNull(seconds),
      ...sums,
      rejects_from: orNull(
        Type.Integer({
          description:
            "when the budget would have begun to reject every turn, Unix seconds: usually the end of the hour in which the limit is reached; null: never",
        }),
      ),
      rejected_responses: Type.Integer(),
      rejected_credits: Type.Number(),
    }),
    { description: "the periods that have turns, oldest first" },
  ),
});

const tryBudget = operation({
  route: "GET /organizations/:organization_id/budgets/trial",
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

const BudgetIncrease = Type.Object({
  id: Type.String(),
  key: Type.String(),
  key_name: Type.String(),
  budget: Type.Object(budgetName),
  amount: Type.Number({ description: "the credits that are asked for, in addition to the limit" }),
  at: seconds,
  until: orNull(
    Type.Integer({ description: "the end of the budget's period, Unix seconds; null: the budget has no periods" }),
  ),
});

const listIncreases = operation({
  route: "GET /organizations/:organization_id/budget-increases",
  roles: MANAGERS,
  summary: "List requests for more than a budget's limit",
  description: "The open requests, newest first; at most 500.",
  command: { words: "budgets increases", whenEmpty: "There is no open request." },
  output: { BudgetIncreaseList: list(BudgetIncrease) },
  async run({ store, organization }) {
    const increases = await store.listIncreases({ organizationId: organization.id });
    return {
      data: increases.map(({ id, keyId, keyName, budget, amountNano, atMs, untilMs }) => ({
        id,
        key: keyId,
        key_name: keyName,
        budget: { ...budget },
        amount: creditsAsNumber(amountNano),
        at: secondsOf(atMs),
        until: untilMs === null ? null : secondsOf(untilMs),
      })),
    };
  },
});

const REQUEST = { flags: "<request>", help: "the id of the request" };

const grantIncrease = operation({
  route: "POST /organizations/:organization_id/budget-increases/:increase_id/grant",
  roles: MANAGERS,
  summary: "Grant a request for more than a budget's limit",
  description:
    "The budget is raised by the amount until the end of its period, on top of a raise that is in force. A budget without periods gets a higher limit.",
  command: {
    words: "budgets grant",
    options: {
      increase_id: REQUEST,
      amount: { flags: "--by <credits>", help: "credits to grant (default: the amount asked for)" },
    },
    optional: ["amount"],
    complete: async ({ increase_id, amount }, ask) => {
      if (amount !== undefined) return {};
      const asked = (await ask(listIncreases, {})).data.find(({ id }) => id === increase_id);
      if (asked === undefined) throw notFound();
      return { amount: asked.amount };
    },
  },
  input: { amount: credits("the number of credits that are granted, in steps of a millionth", 0) },
  output: { Budget },
  async run({ store, by, organization, nowMs }, { increase_id: id, amount }) {
    const amountNano = readAmount("amount", amount);
    const budget = await store.grantIncrease({ organizationId: organization.id, id, amountNano, by });
    if (budget === null) throw notFound();
    return present(budget, nowMs);
  },
});

const declineIncrease = operation({
  route: "POST /organizations/:organization_id/budget-increases/:increase_id/decline",
  roles: MANAGERS,
  summary: "Decline a request for more than a budget's limit",
  command: { words: "budgets decline", options: { increase_id: REQUEST } },
  output: { Done },
  async run({ store, by, organization }, { increase_id: id }) {
    if ((await store.declineIncrease({ organizationId: organization.id, id, by })) === null) throw notFound();
    return { done: true };
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
    listIncreases,
    grantIncrease,
    declineIncrease,
  },
} as const satisfies Subject;
