// Usage of a day by key, member, model and label, for exports. docs/usage-export.md
import { hoursOfDay } from "../../core/money/usage-spans.ts";
import type { UsageLine, UsageLineStore } from "../../ports/store/usage-lines.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { many, one } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import type { SavingsRow } from "./usage-statements.ts";

type ReadUsageLines = Parameters<UsageLineStore["readUsageLines"]>[0];

/** UsageLineStore.readUsageLines. */
export const readUsageLines = plainProcedure("aside", function* (tx, query: ReadUsageLines): Steps<
  readonly UsageLine[]
> {
  const { organizationId, memberId, day, zone, after, limit } = query;
  const { from, to } = hoursOfDay(day, zone);
  const [selectEnd, select] = organizationId === null ? [selectEndOfAll, selectOfAll] : [selectEndOfOne, selectOfOne];
  const start = {
    organizationId,
    memberId,
    from,
    to,
    afterOrganization: after?.organizationId ?? "",
    afterKey: after?.keyId ?? "",
    afterMember: after?.memberId ?? "",
    afterModel: after?.model ?? "",
    afterLabel: after?.label ?? "",
    limit,
  };
  const end = (yield* selectEnd(tx, { ...start, before: limit - 1 })) ?? LAST;
  const rows = yield* select(tx, { ...start, ...end });
  return rows.map(({ memberId: member, label, chargedNano, savedNano, ...row }) => ({
    ...row,
    memberId: member === "" ? null : member,
    label: label === "" ? null : label,
    chargedNano: BigInt(chargedNano),
    savedNano: BigInt(savedNano),
  }));
});

/** Where a page begins: after the place of the line before it. */
interface PageStart {
  readonly organizationId: string | null;
  readonly memberId: string | null;
  readonly from: number;
  readonly to: number;
  readonly afterOrganization: string;
  readonly afterKey: string;
  readonly afterMember: string;
  readonly afterModel: string;
  readonly afterLabel: string;
  readonly limit: number;
}

/** The place beyond which a page has nothing. */
interface PageEnd {
  readonly untilOrganization: string;
  readonly untilKey: string;
  readonly untilMember: string;
  readonly untilModel: string;
  readonly untilLabel: string;
}

/** Behind every id. */
const LAST: PageEnd = { untilOrganization: "~", untilKey: "~", untilMember: "", untilModel: "", untilLabel: "" };

/** The columns of figures in a row of usage. */
const FIGURES = [
  "responses",
  "input_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "charged_nano",
  "saved_nano",
] as const;

/** A key without an owner has an empty member id, turns without a label an empty label. */
type LineRow = Omit<UsageLine, "memberId" | "label" | "chargedNano" | "savedNano"> &
  SavingsRow & { readonly memberId: string; readonly label: string };

/** The hours of the day and the organizations of the page, for the rows of each hour to be found by an index. */
const hoursOf = (filter: string) => `
    with recursive hours (hour) as (
  select cast(:from as integer)
   union all
  select hour + 1 from hours where hour < cast(:to as integer)
         ),
         owners as (
  select o.id, o.name
    from organizations o
   where o.id >= :afterOrganization
     ${filter}
         )`;

/** Of an organization of the page, the places behind its start. The member, which may be null, is last in the index. */
const behindStart = (row: string, label: string) => `
     (${row}.key_id, ${row}.model, ${label}, ${memberOf(row)}) > (
       case when o.id = :afterOrganization then :afterKey else '' end,
       case when o.id = :afterOrganization then :afterModel else '' end,
       case when o.id = :afterOrganization then :afterLabel else '' end,
       case when o.id = :afterOrganization then :afterMember else '' end)`;

const memberOf = (row: string) => `coalesce(${row}.member_id, '')`;

/** The ended turns with a label. */
const LABELLED = `
    from owners o
   cross join hours h
   cross join responses r
   where r.organization_id = o.id
     and r.billing_hour = h.hour
     and r.label is not null
     and r.completed_at is not null
     and (cast(:memberId as text) is null or ${memberOf("r")} = :memberId)`;

/**
 * The place of the last line that a page of turns with labels could have: an index alone tells it, so that only the rows
 * of the page are read. Undefined: what is left of the day is less than a page.
 */
const endOf = (filter: string) => `${hoursOf(filter)}
  select r.organization_id as untilOrganization, r.key_id as untilKey, r.model as untilModel, r.label as untilLabel,
         ${memberOf("r")} as untilMember
  ${LABELLED}
     and ${behindStart("r", "r.label")}
   group by r.organization_id, r.key_id, r.model, r.label, ${memberOf("r")}
   order by 1, 2, 3, 4, 5
   limit 1 offset +:before`;

/** Of an organization of the page, the places up to its end. */
const upToEnd = (row: string, label: string) => `
     o.id <= :untilOrganization
     and (${row}.key_id, ${row}.model, ${label}, ${memberOf(row)}) <= (
       case when o.id = :untilOrganization then :untilKey else '~' end, :untilModel, :untilLabel, :untilMember)`;

/** Of an organization of the page, its places. */
const onPage = (row: string, label: string) => `${behindStart(row, label)} and ${upToEnd(row, label)}`;

/** The figures of labelled turns. */
const SUMS = `count(*) as responses, ${FIGURES.slice(1)
  .map((figure) => `coalesce(sum(r.${figure}), 0) as ${figure}`)
  .join(", ")}`;

/**
 * Usage has no labels, since they are erased with the content of their turns. So the turns with a label are added by
 * their label and subtracted from the rest: whatever is erased, the lines add up to the usage. The line of the rest
 * takes all turns with a label of its key, member and model; the other lines only those of the page. It may have no turn
 * left and still what those saved that ended before that was stored for each of them.
 */
function textOf(filter: string): string {
  return `${hoursOf(filter)},
         parts as (
  select u.organization_id, u.key_id, u.member_id, u.model, '' as label, ${FIGURES.map((figure) => `u.${figure}`).join(", ")}
    from owners o
   cross join usage_by_hour u
   where u.organization_id = o.id
     and u.hour between :from and :to
     and (cast(:memberId as text) is null or u.member_id = :memberId)
     and ${onPage("u", "''")}
   union all
  select r.organization_id, r.key_id, ${memberOf("r")}, r.model, r.label, ${SUMS}
  ${LABELLED}
     and ${onPage("r", "r.label")}
   group by r.organization_id, r.key_id, ${memberOf("r")}, r.model, r.label
   union all
  select organization_id, key_id, member_id, model, '', ${FIGURES.map((figure) => `-${figure}`).join(", ")}
    from (select r.organization_id, r.key_id, ${memberOf("r")} as member_id, r.model, ${SUMS}
          ${LABELLED}
             and ${onPage("r", "''")}
           group by r.organization_id, r.key_id, ${memberOf("r")}, r.model) as labelled
         ),
         lines as (
  select organization_id, key_id, member_id, model, label, ${FIGURES.map((figure) => `sum(${figure}) as ${figure}`).join(", ")}
    from parts
   group by organization_id, key_id, member_id, model, label
  having sum(responses) > 0
      or sum(saved_nano) <> 0
   order by organization_id, key_id, model, label, member_id
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
         cast(u.charged_nano as text)  as chargedNano,
         cast(u.saved_nano as text)    as savedNano
    from lines u
    join owners o on o.id = u.organization_id
    left join api_keys k on k.id = u.key_id
    left join members m on m.id = u.member_id
   order by u.organization_id, u.key_id, u.model, u.label, u.member_id`;
}

const OF_ONE = "and o.id = :organizationId";
const selectOfAll = many<PageStart & PageEnd, LineRow>(textOf(""));
const selectOfOne = many<PageStart & PageEnd, LineRow>(textOf(OF_ONE));
const selectEndOfAll = one<PageStart & { before: number }, PageEnd>(endOf(""));
const selectEndOfOne = one<PageStart & { before: number }, PageEnd>(endOf(OF_ONE));
