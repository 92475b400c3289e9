// What counts against a budget, worked out anew: charged by usage, held by the responses that run. The counters of its periods
// (budget-counters.ts) must agree with it at every moment.
import type { BudgetPeriod, BudgetScope } from "../../../contract/spending.ts";
import { firstDayAfter } from "../../../core/accounts/billing-day.ts";
import type { Connection } from "../database/connection.ts";
import { many, one } from "../database/statement.ts";

/** What a budget counts; the scope `response` counts nothing but each response by itself. */
export interface Counted {
  readonly organizationId: string;
  readonly scope: BudgetScope;
  /** Id of the member or key, of the organization for the other scopes. */
  readonly scopeId: string;
}

/** Days, both inclusive. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

/** Later than every day. */
export const DAY_MAX = 2 ** 31;

/** The days of a period that begins on a day. */
export function daysOf(period: BudgetPeriod, periodFrom: number): Days {
  const next = firstDayAfter(period, periodFrom);
  return { from: periodFrom, to: next === null ? DAY_MAX : next - 1 };
}

/** Charged for ended responses of those days. */
export function sumSpent(connection: Connection, { organizationId, scope, scopeId }: Counted, days: Days): bigint {
  return BigInt(SUMS[scope](connection, { organizationId, scopeId, ...days })?.chargedNano ?? "0");
}

/** What a response that runs at this moment holds. */
export interface Held {
  readonly day: number;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly heldNano: bigint;
}

/** What an organization's running responses hold: few, as many as run at once. */
export function listHeld(connection: Connection, organizationId: string): readonly Held[] {
  return selectHeld(connection, { organizationId }).map(({ heldNano, ...row }) => ({
    ...row,
    heldNano: BigInt(heldNano),
  }));
}

/** Of what is held, that which counts to a budget on those days. */
export function sumHeld(held: readonly Held[], { scope, scopeId }: Counted, { from, to }: Days): bigint {
  return held
    .filter(({ day }) => day >= from && day <= to)
    .filter(({ keyId, memberId }) => {
      if (scope === "key") return keyId === scopeId;
      return scope !== "member" || memberId === scopeId;
    })
    .reduce((sum, { heldNano }) => sum + heldNano, 0n);
}

interface SumParameters {
  readonly organizationId: string;
  readonly scopeId: string;
  readonly from: number;
  readonly to: number;
}

/** The sum over the organization's usage, as far as a condition on its columns narrows it. */
const sumOf = (condition: string) =>
  one<SumParameters, { chargedNano: string }>(`
  select cast(coalesce(sum(charged_nano), 0) as text) as chargedNano
    from usage_by_day
   where organization_id = :organizationId
     ${condition}
     and day between :from and :to`);

const selectOfOrganization = sumOf("");

const SUMS = {
  organization: selectOfOrganization,
  "organization-day": selectOfOrganization,
  member: sumOf("and member_id = :scopeId"),
  key: sumOf("and key_id = :scopeId"),
  response: () => undefined,
} as const;

const selectHeld = many<
  { organizationId: string },
  { day: number; keyId: string; memberId: string | null; heldNano: string }
>(`
  select billing_day             as day,
         key_id                  as keyId,
         member_id               as memberId,
         cast(held_nano as text) as heldNano
    from responses
   where completed_at is null
     and organization_id = :organizationId`);
