// The statements that sum usage, one for each set of groupings.
import { USAGE_GROUPINGS } from "../../contract/money.ts";
import { isUsageTime, type UsageSubject, type UsageTime } from "../../core/money/usage-groupings.ts";
import type { UsageSums } from "../../ports/store/money.ts";
import { many } from "../engine/statement.ts";

interface UsageFilter {
  readonly organizationId: string | null;
  readonly memberId: string | null;
  readonly keyId: string | null;
  readonly model: string | null;
  readonly from: number;
  readonly to: number;
  readonly shift: number;
  readonly limit: number;
}

/** UsageSums as they are selected; the charge is text, because it may exceed the safe integers of a number. */
export type SumsRow = Omit<UsageSums, "chargedNano"> & { readonly chargedNano: string };

/** The same with what was saved. */
export type SavingsRow = SumsRow & { readonly savedNano: string };

/** A row as the statements return it. */
export type UsageGroupsRow = SavingsRow & {
  readonly firstId: string | null;
  readonly firstName: string | null;
  readonly otherId: string | null;
  readonly otherName: string | null;
  /** The number of a day or hour; null when rows are grouped by neither. */
  readonly timeId: number | null;
};

/** The columns of SavingsRow. */
export const SUMS = `
         coalesce(sum(u.responses), 0)                  as responses,
         coalesce(sum(u.input_tokens), 0)               as inputTokens,
         coalesce(sum(u.cached_tokens), 0)              as cachedTokens,
         coalesce(sum(u.cache_write_tokens), 0)         as cacheWriteTokens,
         coalesce(sum(u.output_tokens), 0)              as outputTokens,
         coalesce(sum(u.reasoning_tokens), 0)           as reasoningTokens,
         cast(coalesce(sum(u.charged_nano), 0) as text) as chargedNano,
         cast(coalesce(sum(u.saved_nano), 0) as text)   as savedNano`;

interface GroupColumns {
  readonly id: string;
  readonly name: string;
  readonly join: string;
}

const COLUMNS: Readonly<Record<UsageSubject, GroupColumns>> = {
  organization: { id: "u.organization_id", name: "max(o.name)", join: "" },
  key: { id: "u.key_id", name: "max(k.name)", join: "left join api_keys k on k.id = u.key_id" },
  member: { id: "u.member_id", name: "max(m.email)", join: "left join members m on m.id = u.member_id" },
  model: { id: "u.model", name: "null", join: "" },
};

/** A month is a span of its own. */
const TIMES = { day: "(u.hour + cast(:shift as integer)) / 24", hour: "u.hour", month: null } as const;

/** What usage is grouped by besides a time. */
export const USAGE_SUBJECTS = USAGE_GROUPINGS.filter((grouping) => !isUsageTime(grouping));

/** The statements for each set of groupings; the subjects are in the order of USAGE_GROUPINGS. */
export const USAGE_STATEMENTS = (() => {
  const pairs = USAGE_SUBJECTS.flatMap((one, at) => USAGE_SUBJECTS.slice(at + 1).map((other) => [one, other]));
  const sets = [[], ...USAGE_SUBJECTS.map((one) => [one]), ...pairs];
  const nameOf = (subjects: readonly UsageSubject[], time: string | null) => `${subjects.join()} ${time ?? ""}`;
  const statements = new Map(
    sets.flatMap((subjects) =>
      [null, TIMES.day, TIMES.hour].map((time) => [nameOf(subjects, time), define(subjects, time)]),
    ),
  );
  return (subjects: readonly UsageSubject[], time: UsageTime | null) => {
    const found = statements.get(nameOf(subjects, time === null ? null : TIMES[time]));
    if (found === undefined) throw new Error(`Usage is not grouped by ${subjects.join()}.`);
    return found;
  };
})();

function define(subjects: readonly UsageSubject[], time: string | null) {
  return {
    // By the unique index of usage, one organization after the other: a cross join keeps this order in SQLite.
    ofAll: many<UsageFilter, UsageGroupsRow>(textOf(subjects, time, "")),
    ofOne: many<UsageFilter, UsageGroupsRow>(textOf(subjects, time, "and o.id = :organizationId")),
  };
}

function textOf(subjects: readonly UsageSubject[], time: string | null, filter: string): string {
  const groups = subjects.map((grouping) => COLUMNS[grouping]);
  const columns = (["first", "other"] as const).flatMap((place, at) => [
    `${groups[at]?.id ?? "null"} as ${place}Id`,
    `${groups[at]?.name ?? "null"} as ${place}Name`,
  ]);
  const ids = [...(time === null ? [] : [time]), ...groups.map(({ id }) => id)];
  const order = [...(time === null ? [] : [time]), "sum(u.charged_nano) desc", ...groups.map(({ id }) => id)];
  return `
  select ${columns.join(", ")}, ${time ?? "null"} as timeId, ${SUMS}
    from organizations o
   cross join usage_by_hour u ${groups.map(({ join }) => join).join(" ")}
   where u.organization_id = o.id
     and u.hour between :from and :to
     and (cast(:memberId as text) is null or u.member_id = :memberId)
     and (cast(:keyId as text) is null or u.key_id = :keyId)
     and (cast(:model as text) is null or u.model = :model)
     ${filter}
   ${ids.length === 0 ? "" : `group by ${ids.join(", ")}`}
   order by ${ids.length === 0 ? "1" : order.join(", ")}
   limit +:limit`;
}
