// Usage: what ended responses used and cost, by key, member, model or day. It is kept with each settlement, so that its sums are the
// ledger's at every moment.
import type { UsageGrouping } from "../../../contract/spending.ts";
import { formatDay } from "../../../core/accounts/billing-day.ts";
import type { UsageRow, UsageSums } from "../../../ports/spending.ts";
import { DAY_MAX } from "./budget-sums.ts";
import { plain } from "../database/operation.ts";
import { many } from "../database/statement.ts";

/** SpendingStore.readUsage. */
export const readUsage = plain(
  "aside",
  (
    connection,
    query: {
      organizationId: string;
      by: UsageGrouping | null;
      fromDay: number | null;
      toDay: number | null;
      memberId?: string;
    },
  ): readonly UsageRow[] => {
    const { organizationId, by, fromDay, toDay, memberId = null } = query;
    const rows = SELECTS[by ?? "all"](connection, {
      organizationId,
      memberId,
      from: fromDay ?? 0,
      to: toDay ?? DAY_MAX,
    });
    return rows.map(({ id, chargedNano, ...row }) => ({
      ...row,
      // A key that is nobody's has no member, and a day is a number here.
      id: id === null || id === "" ? null : typeof id === "number" ? formatDay(id) : id,
      chargedNano: BigInt(chargedNano),
    }));
  },
);

interface Parameters {
  readonly organizationId: string;
  readonly memberId: string | null;
  readonly from: number;
  readonly to: number;
}

type Row = Omit<UsageSums, "chargedNano"> & {
  readonly id: string | number | null;
  readonly name: string | null;
  readonly chargedNano: string;
};

const SUMS = `
         coalesce(sum(u.responses), 0)                  as responses,
         coalesce(sum(u.input_tokens), 0)               as inputTokens,
         coalesce(sum(u.cached_tokens), 0)              as cachedTokens,
         coalesce(sum(u.cache_write_tokens), 0)         as cacheWriteTokens,
         coalesce(sum(u.output_tokens), 0)              as outputTokens,
         coalesce(sum(u.reasoning_tokens), 0)           as reasoningTokens,
         cast(coalesce(sum(u.charged_nano), 0) as text) as chargedNano`;

const ASKED = `
   where u.organization_id = :organizationId
     and u.day between :from and :to
     and (:memberId is null or u.member_id = :memberId)`;

const selectAll = many<Parameters, Row>(`
  select null as id, null as name, ${SUMS}
    from usage_by_day u ${ASKED}`);

const selectByKey = many<Parameters, Row>(`
  select u.key_id as id, k.name, ${SUMS}
    from usage_by_day u
    left join api_keys k on k.id = u.key_id ${ASKED}
   group by u.key_id
   order by sum(u.charged_nano) desc, u.key_id`);

const selectByMember = many<Parameters, Row>(`
  select u.member_id as id, m.email as name, ${SUMS}
    from usage_by_day u
    left join members m on m.id = u.member_id ${ASKED}
   group by u.member_id
   order by sum(u.charged_nano) desc, u.member_id`);

const selectByModel = many<Parameters, Row>(`
  select u.model as id, null as name, ${SUMS}
    from usage_by_day u ${ASKED}
   group by u.model
   order by sum(u.charged_nano) desc, u.model`);

const selectByDay = many<Parameters, Row>(`
  select u.day as id, null as name, ${SUMS}
    from usage_by_day u ${ASKED}
   group by u.day
   order by u.day`);

const SELECTS = {
  all: selectAll,
  key: selectByKey,
  member: selectByMember,
  model: selectByModel,
  day: selectByDay,
} as const;
