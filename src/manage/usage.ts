// Usage and charges by groups and times. docs/management.md (Usage)
import Type, { type Static, type TObject } from "typebox";
import { HOUR_SECONDS } from "../base/time.ts";
import { invalidInput } from "../contract/errors.ts";
import { USAGE_ROWS_MAX } from "../contract/manage/limits.ts";
import { time, tokenCounts } from "../contract/manage/resource-fields.ts";
import { EVERYBODY, OPERATOR } from "../contract/manage/roles.ts";
import {
  USAGE_DAYS_MAX,
  USAGE_GROUPINGS,
  USAGE_SUBJECTS_MAX,
  USAGE_TIMES,
  type UsageGrouping,
} from "../contract/money.ts";
import { orNull } from "../contract/shapes.ts";
import { readDay } from "../core/money/billing-day.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import * as groupings from "../core/money/usage-groupings.ts";
import { checkRange, type Hours, hoursOfRange, readZone } from "../core/money/usage-spans.ts";
import { readableMember } from "../flows/manage/principal.ts";
import type * as stored from "../ports/store/money.ts";
import { ORG_OPTION, quote, text, textOrNone } from "./fields.ts";
import { completeMember, MEMBER } from "./members.ts";
import { operation, type Subject } from "./definition/operation.ts";

const day = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: "^\\d{4}-\\d{2}-\\d{2}$",
      description: `${description}, a day of the zone as YYYY-MM-DD`,
    }),
  );
const query = (words: readonly string[]) => ({
  by: Type.Optional(
    Type.String({
      pattern: `^(${words.join("|")})(,(${words.join("|")})){0,${USAGE_SUBJECTS_MAX}}$`,
      description: `the groups of the rows (${words.join(", ")}), separated by commas, such as \`model,day\`: at most one of ${USAGE_TIMES.join(", ")}, and ${USAGE_SUBJECTS_MAX} of the others; a single row if not given`,
    }),
  ),
  from: day("the first day"),
  to: day("the last day"),
  zone: Type.Optional(
    Type.String({
      description: `the time zone of days and months, such as \`Europe/Berlin\`; UTC if not given. Another zone, and months, need \`from\` and \`to\`, at most ${USAGE_DAYS_MAX} days`,
    }),
  ),
  key: Type.Optional(text("the id of a key")),
  member: Type.Optional(text("the id of the member who owned the key at the time; `none`: keys without a member")),
  model: Type.Optional(text("the full id of a model")),
});
type Query = Static<TObject<ReturnType<typeof query>>>;

/** The figures of usage. */
export const usageSums = {
  responses: Type.Integer(),
  ...tokenCounts,
  credits: Type.Number({ description: "credits charged" }),
  cached_share: orNull(
    Type.Number({ description: "cached_tokens / input_tokens, to four decimals; null: there was no input" }),
  ),
  saved: Type.Number({
    description:
      "credits that reading from caches saved: the cached tokens of each turn at its price of input less that of cached input; what writing to a cache cost in addition is not subtracted",
  }),
};

/** The figures of usage. */
export function presentSums(row: stored.UsageWithSavings) {
  return {
    responses: row.responses,
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    output_tokens: row.outputTokens,
    reasoning_tokens: row.reasoningTokens,
    credits: creditsAsNumber(row.chargedNano),
    cached_share: row.inputTokens === 0 ? null : Math.round((row.cachedTokens / row.inputTokens) * 10_000) / 10_000,
    saved: creditsAsNumber(row.savedNano),
  };
}

const optional = (description?: string) =>
  Type.Optional(orNull(Type.String(description === undefined ? {} : { description })));
const UsageList = Type.Object({
  from: orNull(time("the turns began at this Unix second or later; null: any time")),
  to: orNull(time("the turns began before this Unix second; null: any time")),
  data: Type.Array(
    Type.Object({
      organization: optional(),
      organization_name: optional(),
      key: optional(),
      name: optional(),
      member: optional(),
      email: optional(),
      model: optional(),
      day: optional("a day of the zone as YYYY-MM-DD"),
      hour: optional("a UTC hour as YYYY-MM-DDTHH:00Z"),
      month: optional("a month of the zone as YYYY-MM"),
      from: Type.Optional(time("of rows by a time: its turns began at this Unix second or later")),
      to: Type.Optional(time("of rows by a time: its turns began before this Unix second")),
      ...usageSums,
    }),
  ),
});

const readUsage = operation({
  route: "GET /organizations/:organization_id/usage",
  isLong: true,
  roles: EVERYBODY,
  summary: "Show usage and charges",
  description:
    "Members see only the usage of their own keys. Rows by a time come in order, others by cost, highest first; they add up to the row without `by`. `from` and `to` of the reply, and of a row by a time, fit the filters of the log of turns. More than 20,000 rows are a 400.",
  input: query(groupings.usageGroupingsOf("organization")),
  output: { UsageList },
  async run({ store, role, session, organization }, given) {
    const wanted = readQuery(given, "organization");
    const memberId = readableMember({ role, session }, wanted.memberId);
    const of = { ...wanted, organizationId: organization.id, memberId: memberId ?? null };
    return presentRows(memberId === undefined ? [] : await store.readUsage(of), wanted);
  },
});

const readAllUsage = operation({
  route: "GET /usage",
  isLong: true,
  roles: OPERATOR,
  summary: "Show usage and charges of all organizations",
  description:
    "The same as `GET /organizations/{organization_id}/usage`, for all organizations; `organization` is a further group and filter.",
  command: {
    words: "usage show",
    isDefault: true,
    help: "show the tokens that ended responses used, and the credits charged, of one organization or of all",
    options: {
      by: { flags: "--by <what>", help: "one row for each, such as model,day (default: one row for all)" },
      from: { flags: "--from <day>", help: "first day, YYYY-MM-DD" },
      to: { flags: "--to <day>", help: "last day, YYYY-MM-DD" },
      zone: { help: "time zone of days and months, such as Europe/Berlin (default: UTC)" },
      member: MEMBER,
      // It is `--org`.
      organization: null,
    },
    variants: { organization_id: { operation: readUsage, ...ORG_OPTION } },
    complete: completeMember,
    whenEmpty: "There is no usage.",
  },
  input: { ...query(USAGE_GROUPINGS), organization: Type.Optional(text("the id of an organization")) },
  output: { UsageList },
  async run({ store }, { organization: organizationId = null, ...given }) {
    const wanted = readQuery(given, "platform");
    return presentRows(await store.readUsage({ ...wanted, organizationId }), wanted);
  },
});

/** Throws 400 `invalid_input` with the parameter that is not valid. */
function readQuery({ by, from, to, zone, key, member, model }: Query, scope: groupings.UsageScope) {
  const range = { fromDay: readDayOf("from", from), toDay: readDayOf("to", to), zone: readZoneOf(zone) };
  const groups = by === undefined ? [] : groupings.readUsageGroupings(by, scope);
  if (groups === null) {
    const allowed = groupings.describeUsageGroupings(scope);
    throw invalidInput("by", `by is ${quote(by ?? "")}; allowed: ${allowed}.`);
  }
  const wrong = checkRange(range, groupings.usageTimeOf(groups));
  if (wrong !== null) throw invalidInput("from", `${wrong}.`);
  // One more row than there may be tells that there are too many.
  const others = { keyId: key ?? null, memberId: textOrNone(member), model: model ?? null, limit: USAGE_ROWS_MAX + 1 };
  return { by: groups, ...range, ...others };
}

function readDayOf(param: string, written: string | undefined): number | null {
  const read = written === undefined ? null : readDay(written);
  if (written === undefined || read !== null) return read;
  throw invalidInput(param, `${param} is ${quote(written)}; allowed: a day as YYYY-MM-DD, 1970 or later.`);
}

/** The zone of a query; null: UTC. Throws 400 `invalid_input` (`zone`). */
export function readZoneOf(written: string | undefined): string | null {
  const zone = written === undefined ? null : readZone(written);
  if (zone !== undefined) return zone;
  throw invalidInput(
    "zone",
    `zone is ${quote(written ?? "")}; allowed: the name of a time zone, such as Europe/Berlin.`,
  );
}

/** Rows, and when the turns began that they count, as the log of turns takes it. Throws 400 `invalid_input` (`by`). */
function presentRows(rows: readonly stored.UsageRow[], { by, ...range }: ReturnType<typeof readQuery>) {
  if (rows.length > USAGE_ROWS_MAX) {
    throw invalidInput("by", `There are more than ${USAGE_ROWS_MAX} rows: ask for fewer days or coarser groups.`);
  }
  const { from, to } = presentHours(hoursOfRange(range));
  return {
    from: range.fromDay === null ? null : from,
    to: range.toDay === null ? null : to,
    data: rows.map((row) => ({
      ...presentUsage(row, by),
      ...(row.hours === null ? {} : presentHours(row.hours)),
    })),
  };
}

/** Unix seconds: the first one, and the first one after. */
export function presentHours({ from, to }: Hours) {
  return { from: from * HOUR_SECONDS, to: (to + 1) * HOUR_SECONDS };
}

/** A row starts with the fields of its groups; a total has none. */
function presentUsage(row: stored.UsageRow, by: readonly UsageGrouping[]) {
  const groups = row.groups.flatMap((group, at) => {
    const grouping = by[at];
    return grouping === undefined ? [] : [GROUPS[grouping](group)];
  });
  return { ...Object.assign({}, ...groups), ...presentSums(row) };
}

type GroupFields = Readonly<Record<string, string | null>>;

const GROUPS: Readonly<Record<UsageGrouping, (group: stored.UsageGroup) => GroupFields>> = {
  organization: ({ id, name }) => ({ organization: id, organization_name: name }),
  key: ({ id, name }) => ({ key: id, name }),
  member: ({ id, name }) => ({ member: id, email: name }),
  model: ({ id }) => ({ model: id }),
  day: ({ id }) => ({ day: id }),
  hour: ({ id }) => ({ hour: id }),
  month: ({ id }) => ({ month: id }),
};

export const USAGE = {
  tag: "Money",
  about: "the tokens that ended responses used, and the credits charged",
  operations: { readAllUsage, readUsage },
} as const satisfies Subject;
