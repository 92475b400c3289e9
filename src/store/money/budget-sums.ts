// What counts against a budget, computed from its sources: spent from usage, held from the running responses. The
// counters of its periods (budget-counters.ts) must agree with it at every moment.
import type { BudgetPeriod } from "../../contract/money.ts";
import { dayOfHour, firstDayAfter, HOURS_PER_DAY } from "../../core/money/billing-day.ts";
import type { BudgetName } from "../../core/money/budgets.ts";
import { finished, type Steps, type Transaction } from "../engine/transaction.ts";
import { many, one } from "../engine/statement.ts";

/** The hour that a response counts to; those of earlier versions count to the first hour of their day. */
export const BILLING_HOUR = "coalesce(billing_hour, billing_day * 24)";

/**
 * The id of a budget's name, for a select from `budgets b`: `scope_id` is the organization's where the name has none.
 */
export const NAMED_ID = "case when b.scope in ('member', 'key') then b.scope_id end";

/** What a budget covers; the scope `response` has no counters, since each response counts by itself. */
export interface Counted extends Pick<BudgetName, "scope" | "id"> {
  readonly organizationId: string;
}

/** A range of days, both inclusive. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

/** A range of hours, both inclusive. */
interface Hours {
  readonly from: number;
  readonly to: number;
}

/** Later than every day. */
export const DAY_MAX = 2 ** 31;

/** The days of a period by its first day. */
export function daysOf(period: BudgetPeriod, periodFrom: number): Days {
  const next = firstDayAfter(period, periodFrom);
  return { from: periodFrom, to: next === null ? DAY_MAX : next - 1 };
}

/** Charged for ended responses in those hours, both inclusive. */
export function* sumSpent(tx: Transaction, { organizationId, scope, id }: Counted, hours: Hours): Steps<bigint> {
  return BigInt((yield* SUMS[scope](tx, { organizationId, id, ...hours }))?.chargedNano ?? "0");
}

/** The hold of a running response. */
export interface Held {
  readonly hour: number;
  readonly day: number;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly heldNano: bigint;
}

/** The holds of an organization's running responses; as few as run at once. */
export function* listHeld(tx: Transaction, organizationId: string): Steps<readonly Held[]> {
  return (yield* selectHolds(tx, { organizationId })).map(({ heldNano, ...row }) => ({
    ...row,
    day: dayOfHour(row.hour),
    heldNano: BigInt(heldNano),
  }));
}

/** The sum of the holds that count to a budget on those days. */
export function sumHeld(held: readonly Held[], { scope, id }: Counted, { from, to }: Days): bigint {
  return held
    .filter(({ day }) => day >= from && day <= to)
    .filter(({ keyId, memberId }) => {
      if (scope === "key") return keyId === id;
      return scope !== "member" || memberId === id;
    })
    .reduce((sum, { heldNano }) => sum + heldNano, 0n);
}

/** The hours of a range of days, both inclusive. */
export function hoursOf({ from, to }: Days): Hours {
  return { from: from * HOURS_PER_DAY, to: (to + 1) * HOURS_PER_DAY - 1 };
}

interface SumParameters {
  readonly organizationId: string;
  readonly id: string | null;
  readonly from: number;
  readonly to: number;
}

/** Sums an organization's usage, narrowed by a condition on its columns. */
const sumOf = (condition: string) =>
  one<SumParameters, { chargedNano: string }>(`
  select cast(coalesce(sum(charged_nano), 0) as text) as chargedNano
    from usage_by_hour
   where organization_id = :organizationId
     ${condition}
     and hour between :from and :to`);

const selectOfOrganization = sumOf("");

const SUMS = {
  organization: selectOfOrganization,
  "organization-day": selectOfOrganization,
  member: sumOf("and member_id = :id"),
  key: sumOf("and key_id = :id"),
  response: () => finished(undefined),
} as const;

/**
 * The organization is no column here, but an expression: its index has all responses, that of the running ones a few.
 */
const selectHolds = many<
  { organizationId: string },
  { hour: number; keyId: string; memberId: string | null; heldNano: string }
>(`
  select ${BILLING_HOUR} as hour,
         key_id                  as keyId,
         member_id               as memberId,
         cast(held_nano as text) as heldNano
    from responses
   where completed_at is null
     and organization_id || '' = :organizationId`);
