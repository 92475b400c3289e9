// Tries a budget or a policy on the responses of the last month before it is set. docs/management.md (Trials)
import Type from "typebox";
import { USAGE_ROWS_MAX } from "../contract/manage/limits.ts";
import { budgetName, seconds, time } from "../contract/manage/resource-fields.ts";
import { orNull } from "../contract/shapes.ts";
import { billingDayOf, firstDayOf, HOURS_PER_DAY } from "../core/money/billing-day.ts";
import { type TriedPeriod, tryBudget } from "../core/money/budget-trial.ts";
import type { BudgetName } from "../core/money/budgets.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { allowsModel, type ModelRules } from "../core/models/policy.ts";
import { AccountError } from "../ports/store/accounts.ts";
import type { UsageRow } from "../ports/store/money.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { findMember } from "../flows/accounts/members.ts";

type Context = Pick<AdminContext, "store" | "clock">;

/** Days before today that a trial reads. */
const TRIAL_DAYS = 30;
const HOUR_SECONDS = 3600;

const sums = { responses: Type.Integer(), credits: Type.Number({ description: "credits charged" }) };

/** What a budget would have rejected. */
export const BudgetTrial = Type.Object({
  ...budgetName,
  limit: Type.Number(),
  from: time("turns that began at this Unix second or later were tried"),
  to: time("turns that began before this Unix second"),
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
        time(
          "when the budget would have begun to reject every turn, Unix seconds: usually the end of the hour in which the limit is reached; null: never",
        ),
      ),
      rejected_responses: Type.Integer(),
      rejected_credits: Type.Number(),
    }),
    { description: "the periods that have turns, oldest first" },
  ),
});

/**
 * What a budget would have rejected since the beginning of its period 30 days ago; of the period `total`, in the last
 * 30 days. Throws an AccountError for the scope `response`, and for a key or member that the organization does not
 * have.
 */
export async function tryOrganizationBudget(
  { store, clock }: Context,
  organizationId: string,
  { name, limitNano }: { name: BudgetName; limitNano: bigint },
) {
  const { scope, period } = name;
  if (scope === "response") {
    throw new AccountError("A budget of each response can't be tried: past usage is known by the hour.");
  }
  const owner = await findOwner(store, organizationId, name);
  const today = billingDayOf(clock.nowMs());
  const firstDay = today - TRIAL_DAYS;
  const fromDay = period === "total" ? firstDay : firstDayOf(period, firstDay);
  const usage = { organizationId, ...owner, limit: USAGE_ROWS_MAX };
  const earlier = { ...usage, by: [], fromDay: null, toDay: fromDay - 1 } as const;
  const [before] = period === "total" ? await store.readUsage(earlier) : [];
  const rows = await store.readUsage({ ...usage, by: ["hour"], fromDay, toDay: today });
  const periods = tryBudget({
    period,
    limitNano,
    spentBeforeNano: before?.chargedNano ?? 0n,
    hours: rows.map(({ hours, responses, chargedNano }) => ({ hour: hours?.from ?? 0, responses, chargedNano })),
  });
  return {
    scope,
    id: owner.memberId ?? owner.keyId,
    period,
    limit: creditsAsNumber(limitNano),
    from: fromDay * HOURS_PER_DAY * HOUR_SECONDS,
    to: (today + 1) * HOURS_PER_DAY * HOUR_SECONDS,
    ...sumsOf(rows),
    rejected_responses: sum(periods.map(({ rejectedResponses }) => rejectedResponses)),
    rejected_credits: creditsAsNumber(periods.reduce((all, { rejectedNano }) => all + rejectedNano, 0n)),
    periods: periods.map(presentPeriod),
  };
}

/** What a model policy would have rejected. */
export const PolicyTrial = Type.Object({
  allow_models: orNull(Type.Array(Type.String())),
  deny_models: Type.Array(Type.String()),
  from: time("turns that began at this Unix second or later were tried"),
  to: time("turns that began before this Unix second"),
  ...sums,
  rejected_responses: Type.Integer({ description: "turns on models that the policy would not have allowed" }),
  rejected_credits: Type.Number({ description: "what those turns cost" }),
  models: Type.Array(Type.Object({ model: Type.String(), ...sums }), {
    description: "those models, the most expensive first",
  }),
});

/** The responses of the last 30 days on models that the rules do not allow. */
export async function tryPolicy({ store, clock }: Context, organizationId: string, rules: ModelRules) {
  const today = billingDayOf(clock.nowMs());
  const fromDay = today - TRIAL_DAYS;
  const rows = await store.readUsage({ organizationId, by: ["model"], fromDay, toDay: today, limit: USAGE_ROWS_MAX });
  const rejected = rows.filter(({ groups: [model] }) => !allowsModel(rules, model?.id ?? ""));
  const { responses, credits } = sumsOf(rejected);
  return {
    allow_models: rules.allowModels && [...rules.allowModels],
    deny_models: [...rules.denyModels],
    from: fromDay * HOURS_PER_DAY * HOUR_SECONDS,
    to: (today + 1) * HOURS_PER_DAY * HOUR_SECONDS,
    ...sumsOf(rows),
    rejected_responses: responses,
    rejected_credits: credits,
    models: rejected.map((row) => ({ model: row.groups[0]?.id ?? "", ...sumsOf([row]) })),
  };
}

/** The key or the member whose usage counts. Throws for an unknown one: without a filter, everyone's would count. */
async function findOwner(store: Context["store"], organizationId: string, { scope, id }: BudgetName) {
  const none = { keyId: null, memberId: null };
  if (scope === "member") {
    const member = await findMember({ store }, organizationId, id ?? "");
    if (member !== null) return { ...none, memberId: member.id };
  } else if (scope === "key") {
    const key = await store.findKeyById({ keyId: id ?? "" });
    if (key?.organizationId === organizationId) return { ...none, keyId: key.id };
  } else return none;
  throw new AccountError(`The organization has no ${scope} ${id}.`);
}

function presentPeriod(period: TriedPeriod) {
  return {
    from: period.from * HOUR_SECONDS,
    to: period.to === null ? null : period.to * HOUR_SECONDS,
    responses: period.responses,
    credits: creditsAsNumber(period.chargedNano),
    rejects_from: period.rejectsFrom === null ? null : period.rejectsFrom * HOUR_SECONDS,
    rejected_responses: period.rejectedResponses,
    rejected_credits: creditsAsNumber(period.rejectedNano),
  };
}

function sumsOf(rows: readonly Pick<UsageRow, "responses" | "chargedNano">[]) {
  return {
    responses: sum(rows.map(({ responses }) => responses)),
    credits: creditsAsNumber(rows.reduce((all, { chargedNano }) => all + chargedNano, 0n)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
