// Usage: what ended responses used and cost, by key, member, model or day. Each settlement adds to it, so that its sums
// equal the ledger's at every moment.
import type { Steps, Transaction } from "../engine/transaction.ts";
import { USAGE_GROUPINGS, type UsageGrouping } from "../../contract/money.ts";
import { formatDay, formatHour } from "../../core/money/billing-day.ts";
import type { UsageGroup, UsageRow, UsageSums } from "../../ports/store/money.ts";
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import { DAY_MAX, hoursOf } from "./budget-sums.ts";
import { plainOperation } from "../engine/operation.ts";
import { many, write } from "../engine/statement.ts";

/** MoneyStore.readUsage. */
export const readUsage = plainOperation(
  "aside",
  function* (
    tx,
    query: {
      organizationId: string | null;
      by: readonly UsageGrouping[];
      fromDay: number | null;
      toDay: number | null;
      limit: number;
      memberId?: string;
    },
  ): Steps<readonly UsageRow[]> {
    const { organizationId, fromDay, toDay, limit, memberId = null } = query;
    const by = USAGE_GROUPINGS.filter((grouping) => query.by.includes(grouping));
    const hours = hoursOf({ from: fromDay ?? 0, to: toDay ?? DAY_MAX });
    const rows =
      organizationId === null
        ? yield* OF_ALL(by)(tx, { memberId, limit, ...hours })
        : yield* OF_ONE(by)(tx, { organizationId, memberId, limit, ...hours });
    return rows.map(({ firstId, firstName, otherId, otherName, chargedNano, ...sums }) => {
      const found = [
        { id: firstId, name: firstName },
        { id: otherId, name: otherName },
      ];
      // The statement has the groupings in an order of its own.
      const groups = query.by.map((grouping) => decodeGroup(grouping, found[by.indexOf(grouping)]));
      return { ...sums, groups, chargedNano: BigInt(chargedNano) };
    });
  },
);

interface Parameters {
  readonly memberId: string | null;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

type Row = Omit<UsageSums, "chargedNano"> & {
  readonly firstId: string | number | null;
  readonly firstName: string | null;
  readonly otherId: string | number | null;
  readonly otherName: string | null;
  readonly chargedNano: string;
};

function decodeGroup(
  grouping: UsageGrouping,
  found: { readonly id: string | number | null; readonly name: string | null } | undefined,
): UsageGroup {
  const { id, name } = found ?? { id: null, name: null };
  if (typeof id === "number") return { id: grouping === "hour" ? formatHour(id) : formatDay(id), name };
  // A key without an owner has an empty member id.
  return { id: id === "" ? null : id, name };
}

const SUMS = `
         coalesce(sum(u.responses), 0)                  as responses,
         coalesce(sum(u.input_tokens), 0)               as inputTokens,
         coalesce(sum(u.cached_tokens), 0)              as cachedTokens,
         coalesce(sum(u.cache_write_tokens), 0)         as cacheWriteTokens,
         coalesce(sum(u.output_tokens), 0)              as outputTokens,
         coalesce(sum(u.reasoning_tokens), 0)           as reasoningTokens,
         cast(coalesce(sum(u.charged_nano), 0) as text) as chargedNano`;

interface GroupColumns {
  readonly id: string;
  readonly name: string;
  readonly join: string;
}

const COLUMNS: Readonly<Record<UsageGrouping, GroupColumns>> = {
  organization: { id: "u.organization_id", name: "max(o.name)", join: "" },
  key: { id: "u.key_id", name: "max(k.name)", join: "left join api_keys k on k.id = u.key_id" },
  member: { id: "u.member_id", name: "max(m.email)", join: "left join members m on m.id = u.member_id" },
  model: { id: "u.model", name: "null", join: "" },
  day: { id: "u.hour / 24", name: "null", join: "" },
  hour: { id: "u.hour", name: "null", join: "" },
};

/** What `define` makes of each set of groupings, which are in the order of USAGE_GROUPINGS. */
function ofEachGrouping<Statement>(define: (by: readonly UsageGrouping[]) => Statement) {
  const pairs = USAGE_GROUPINGS.flatMap((one, at) => USAGE_GROUPINGS.slice(at + 1).map((other) => [one, other]));
  const sets = [[], ...USAGE_GROUPINGS.map((one) => [one]), ...pairs];
  const statements = new Map(sets.map((by) => [by.join(), define(by)]));
  return (by: readonly UsageGrouping[]): Statement => {
    const statement = statements.get(by.join());
    if (statement === undefined) throw new Error(`Usage is not grouped by ${by.join()}.`);
    return statement;
  };
}

function textOf(by: readonly UsageGrouping[], filter: string): string {
  const groups = by.map((grouping) => COLUMNS[grouping]);
  const columns = (["first", "other"] as const).flatMap((place, at) => [
    `${groups[at]?.id ?? "null"} as ${place}Id`,
    `${groups[at]?.name ?? "null"} as ${place}Name`,
  ]);
  const times = by.flatMap((grouping, at) => (["day", "hour"].includes(grouping) ? [groups[at]?.id] : []));
  const order = [...times, "sum(u.charged_nano) desc", ...groups.map(({ id }) => id)];
  return `
  select ${columns.join(", ")}, ${SUMS}
    from organizations o
   cross join usage_by_hour u ${groups.map(({ join }) => join).join(" ")}
   where u.organization_id = o.id
     and u.hour between :from and :to
     and (cast(:memberId as text) is null or u.member_id = :memberId)
     ${filter}
   ${groups.length === 0 ? "" : `group by ${groups.map(({ id }) => id).join(", ")}`}
   order by ${groups.length === 0 ? "1" : order.join(", ")}
   limit +:limit`;
}

/** By the unique index of usage, one organization after the other: a cross join keeps this order in SQLite. */
const OF_ALL = ofEachGrouping((by) => many<Parameters, Row>(textOf(by, "")));
const OF_ONE = ofEachGrouping((by) =>
  many<Parameters & { readonly organizationId: string }, Row>(textOf(by, "and o.id = :organizationId")),
);

/** Usage of one key between two hours, both inclusive. */
export function* sumUsageOfKey(
  tx: Transaction,
  query: { organizationId: string; keyId: string; from: number; to: number },
): Steps<UsageSums> {
  const [row] = yield* selectOfKey(tx, query);
  if (row === undefined) throw new Error("A sum has no row.");
  const { chargedNano, ...sums } = row;
  return { ...sums, chargedNano: BigInt(chargedNano) };
}

const selectOfKey = many<
  { organizationId: string; keyId: string; from: number; to: number },
  Omit<UsageSums, "chargedNano"> & { readonly chargedNano: string }
>(`
  select ${SUMS}
    from usage_by_hour u
   where u.organization_id = :organizationId
     and u.key_id = :keyId
     and u.hour between :from and :to`);

/** The usage of an ended response, or the sum of several in the same row. */
interface Counted {
  readonly organizationId: string;
  readonly billingHour: number;
  readonly keyId: string;
  readonly memberId: string;
  readonly model: string;
  inputTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  chargedNano: bigint;
}

const COUNTED: RowBuffer<Counted & { responses: number }> = rowBuffer();

/** Adds the usage of an ended response to the sums that are written before the commit. */
export function countUsage(ended: Counted, tx: Transaction): void {
  const { organizationId, billingHour, keyId, memberId, model } = ended;
  const counted = COUNTED(tx);
  const name = `${organizationId} ${billingHour} ${keyId} ${memberId} ${model}`;
  const sums = counted.get(name);
  if (sums === undefined) {
    counted.set(name, { ...ended, responses: 1 });
    return;
  }
  sums.responses += 1;
  sums.inputTokens += ended.inputTokens;
  sums.cachedTokens += ended.cachedTokens;
  sums.cacheWriteTokens += ended.cacheWriteTokens;
  sums.outputTokens += ended.outputTokens;
  sums.reasoningTokens += ended.reasoningTokens;
  sums.chargedNano += ended.chargedNano;
}

/**
 * Writes the usage that has been counted: the rows in the order of their keys, so that two transactions that write the
 * same rows wait for each other, but never both.
 */
export function* writeUsage(tx: Transaction): Steps<void> {
  const part = Math.floor(Math.random() * tx.settings.usageParts);
  const counted = COUNTED(tx);
  for (const name of [...counted.keys()].sort()) {
    const sums = counted.get(name);
    if (sums !== undefined) yield* addUsage(tx, { ...sums, part });
  }
}

const addUsage = write<Counted & { responses: number; part: number }>(`
  insert into usage_by_hour (organization_id, hour, key_id, member_id, model, part, responses, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, charged_nano)
  values (:organizationId, :billingHour, :keyId, :memberId, :model, :part, :responses, :inputTokens, :cachedTokens, :cacheWriteTokens, :outputTokens, :reasoningTokens, :chargedNano)
      on conflict (organization_id, hour, key_id, member_id, model, part) do update
     set responses          = usage_by_hour.responses + excluded.responses,
         input_tokens       = usage_by_hour.input_tokens + excluded.input_tokens,
         cached_tokens      = usage_by_hour.cached_tokens + excluded.cached_tokens,
         cache_write_tokens = usage_by_hour.cache_write_tokens + excluded.cache_write_tokens,
         output_tokens      = usage_by_hour.output_tokens + excluded.output_tokens,
         reasoning_tokens   = usage_by_hour.reasoning_tokens + excluded.reasoning_tokens,
         charged_nano       = usage_by_hour.charged_nano + excluded.charged_nano`);
