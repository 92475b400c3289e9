// Usage of a day by key, member, model and label, for exports. docs/usage-export.md
import { HOUR_SECONDS } from "../../base/time.ts";
import { hoursOfDay } from "../../core/money/usage-spans.ts";
import type { UsageLine, UsageLineStore } from "../../ports/store/usage-lines.ts";
import { plainOperation } from "../engine/operation.ts";
import { many } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import type { SumsRow } from "./usage-statements.ts";

type ReadUsageLines = Parameters<UsageLineStore["readUsageLines"]>[0];

/** A turn's row has the time of the process that began it, its hour is the store's: their clocks may differ by so much. */
const CLOCKS_DIFFER_SECONDS = HOUR_SECONDS;

/** UsageLineStore.readUsageLines. */
export const readUsageLines = plainOperation("aside", function* (tx, query: ReadUsageLines): Steps<
  readonly UsageLine[]
> {
  const { organizationId, memberId, day, zone, after, limit } = query;
  const { from, to } = hoursOfDay(day, zone);
  const [createdFrom, createdTo] = [from * HOUR_SECONDS, (to + 1) * HOUR_SECONDS];
  const rows = yield* (organizationId === null ? selectOfAll : selectOfOne)(tx, {
    organizationId,
    memberId,
    from,
    to,
    createdFrom: createdFrom - CLOCKS_DIFFER_SECONDS,
    createdTo: createdTo + CLOCKS_DIFFER_SECONDS,
    afterOrganization: after?.organizationId ?? "",
    afterKey: after?.keyId ?? "",
    afterMember: after?.memberId ?? "",
    afterModel: after?.model ?? "",
    afterLabel: after?.label ?? "",
    limit,
  });
  return rows.map(({ memberId: member, label, chargedNano, ...row }) => ({
    ...row,
    memberId: member === "" ? null : member,
    label: label === "" ? null : label,
    chargedNano: BigInt(chargedNano),
  }));
});

interface LinesFilter {
  readonly organizationId: string | null;
  readonly memberId: string | null;
  readonly from: number;
  readonly to: number;
  readonly createdFrom: number;
  readonly createdTo: number;
  readonly afterOrganization: string;
  readonly afterKey: string;
  readonly afterMember: string;
  readonly afterModel: string;
  readonly afterLabel: string;
  readonly limit: number;
}

/** The columns of figures in a row of usage. */
const FIGURES = [
  "responses",
  "input_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "charged_nano",
] as const;

/** A key without an owner has an empty member id, turns without a label an empty label. */
type LineRow = Omit<UsageLine, "memberId" | "label" | "chargedNano"> &
  SumsRow & { readonly memberId: string; readonly label: string };

/**
 * Usage has no labels, since they are erased with the content of their turns. So the turns with a label are added by
 * their label and subtracted from the rest: whatever is erased, the lines add up to the usage. The turns of an
 * organization without labels are not read: a scalar subquery, since SQLite would join an `exists` behind them.
 */
function textOf(filter: string): string {
  return `
    with labelled as (
  select r.organization_id,
         r.key_id,
         coalesce(r.member_id, '') as member_id,
         r.model,
         r.label,
         count(*) as responses,
         ${FIGURES.slice(1)
           .map((figure) => `coalesce(sum(r.${figure}), 0) as ${figure}`)
           .join(", ")}
    from organizations o
   cross join responses r
   where r.organization_id = o.id
     and r.created_at between :createdFrom and :createdTo
     and r.billing_hour between :from and :to
     and r.label is not null
     and r.completed_at is not null
     and (cast(:memberId as text) is null or coalesce(r.member_id, '') = :memberId)
     and (select 1 from responses l where l.organization_id = o.id and l.label is not null limit 1) = 1
     ${filter}
   group by r.organization_id, r.key_id, coalesce(r.member_id, ''), r.model, r.label
         ),
         parts as (
  select u.organization_id, u.key_id, u.member_id, u.model, '' as label, ${FIGURES.map((figure) => `u.${figure}`).join(", ")}
    from organizations o
   cross join usage_by_hour u
   where u.organization_id = o.id
     and u.hour between :from and :to
     and (cast(:memberId as text) is null or u.member_id = :memberId)
     ${filter}
   union all
  select organization_id, key_id, member_id, model, label, ${FIGURES.join(", ")}
    from labelled
   union all
  select organization_id, key_id, member_id, model, '', ${FIGURES.map((figure) => `-${figure}`).join(", ")}
    from labelled
         ),
         lines as (
  select organization_id, key_id, member_id, model, label, ${FIGURES.map((figure) => `sum(${figure}) as ${figure}`).join(", ")}
    from parts
   where (organization_id, key_id, member_id, model, label) > (:afterOrganization, :afterKey, :afterMember, :afterModel, :afterLabel)
   group by organization_id, key_id, member_id, model, label
  having sum(responses) > 0
   order by organization_id, key_id, member_id, model, label
   limit +:limit
         )
  select u.organization_id             as organizationId,
         o.name                        as organizationName,
         u.key_id                      as keyId,
         k.name                        as keyName,
         u.member_id                   as memberId,
         m.email                       as memberEmail,
         u.model,
         u.label,
         u.responses,
         u.input_tokens                as inputTokens,
         u.cached_tokens               as cachedTokens,
         u.cache_write_tokens          as cacheWriteTokens,
         u.output_tokens               as outputTokens,
         u.reasoning_tokens            as reasoningTokens,
         cast(u.charged_nano as text)  as chargedNano
    from lines u
    join organizations o on o.id = u.organization_id
    left join api_keys k on k.id = u.key_id
    left join members m on m.id = u.member_id
   order by u.organization_id, u.key_id, u.member_id, u.model, u.label`;
}

const selectOfAll = many<LinesFilter, LineRow>(textOf(""));
const selectOfOne = many<LinesFilter, LineRow>(textOf("and o.id = :organizationId"));
