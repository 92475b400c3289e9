// Usage of a month in lines, a line for each day, key, member, model and label. docs/usage-export.md
import Type, { type Static, type TObject } from "typebox";
import { parseJson } from "../base/json.ts";
import { invalidInput } from "../contract/errors.ts";
import { USAGE_LINES_DEFAULT, USAGE_LINES_MAX } from "../contract/manage/limits.ts";
import { time, tokenCounts } from "../contract/manage/resource-fields.ts";
import { EVERYBODY, OPERATOR } from "../contract/manage/roles.ts";
import { orNull } from "../contract/shapes.ts";
import { formatDay, readDay, readMonth } from "../core/money/billing-day.ts";
import { formatCredits, NANO_PER_CREDIT } from "../core/money/credits.ts";
import { formatUsd } from "../core/money/prices.ts";
import { type Hours, hoursOfDay, hoursOfRange } from "../core/money/usage-spans.ts";
import { readableMember } from "../flows/manage/principal.ts";
import type { UsageLine, UsageLinePlace } from "../ports/store/usage-lines.ts";
import type { Context } from "./definition/context.ts";
import { pageSize, quote } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { presentHours, readZoneOf } from "./usage.ts";

const input = {
  month: Type.String({ pattern: "^\\d{4}-\\d{2}$", description: "a month of the zone as YYYY-MM" }),
  zone: Type.Optional(
    Type.String({ description: "the time zone of the month and its days, such as `Europe/Berlin`; UTC if not given" }),
  ),
  limit: pageSize(USAGE_LINES_MAX, USAGE_LINES_DEFAULT),
  after: Type.Optional(
    Type.String({
      pattern: "^\\d{4}-\\d{2}-\\d{2}(\\.[A-Za-z0-9_-]{1,8000})?$",
      description: "`next` of another page",
    }),
  ),
};
type Query = Static<TObject<typeof input>>;

const hours = {
  from: time("its turns began at this Unix second or later"),
  to: time("its turns began before this Unix second"),
};
const Line = Type.Object({
  day: Type.String({ description: "a day of the zone as YYYY-MM-DD" }),
  ...hours,
  organization: Type.String(),
  organization_name: Type.String(),
  key: Type.String(),
  name: orNull(Type.String({ description: "of the key" })),
  member: orNull(Type.String({ description: "the owner of the key at the time; null: it had none" })),
  email: orNull(Type.String({ description: "null: the member was removed" })),
  model: Type.String(),
  label: orNull(Type.String({ description: "of the log of turns; null: not sent, or erased" })),
  responses: Type.Integer(),
  ...tokenCounts,
  credits: Type.String({ description: "credits charged, an exact decimal" }),
  usd: Type.String({ description: "the same at today's `credits.usd_per_credit`, an exact decimal" }),
  saved: Type.String({
    description:
      "credits that reading from caches saved, as in the usage, an exact decimal. Of turns with a label that ended before it was stored for each of them, it is in the line without one.",
  }),
  saved_usd: Type.String({ description: "the same at today's `credits.usd_per_credit`, an exact decimal" }),
});
const UsageLines = Type.Object({
  ...hours,
  usd_per_credit: Type.String({ description: "`credits.usd_per_credit`, a decimal" }),
  data: Type.Array(Line, { description: "of one day at most" }),
  has_more: Type.Boolean(),
  next: orNull(Type.String({ description: "`after` of the next page; null: this is the last" })),
});
/** A page of the lines of a month. */
export type UsageLinesPage = Static<typeof UsageLines>;
/** A line as it is presented. */
export type PresentedLine = Static<typeof Line>;

const DESCRIPTION =
  "What ended responses used and were charged, by day, key, model, label and member, in this order. The lines of all pages add up to the usage of the month. A page has lines of one day at most: it may have fewer than `limit`, or none, while `has_more` is true.";

export const readUsageLines = operation({
  route: "GET /organizations/:organization_id/usage-lines",
  isLong: true,
  roles: EVERYBODY,
  summary: "Export the usage of a month",
  description: `${DESCRIPTION} Members see only the usage of their own keys.`,
  input,
  output: { UsageLines },
  async run(context, query) {
    const memberId = readableMember(context);
    if (memberId === undefined) return presentPage(context, query, null);
    return presentPage(context, query, { organizationId: context.organization.id, memberId });
  },
});

export const readAllUsageLines = operation({
  route: "GET /usage-lines",
  isLong: true,
  roles: OPERATOR,
  summary: "Export the usage of a month of all organizations",
  description: DESCRIPTION,
  input,
  output: { UsageLines },
  run: (context, query) => presentPage(context, query, { organizationId: null, memberId: null }),
});

/** A page of the usage of somebody; null: of nobody. Throws 400 `invalid_input` with the parameter that is not valid. */
async function presentPage(
  { store, catalog }: Context,
  { month, zone: zoneName, limit, after }: Query,
  of: { readonly organizationId: string | null; readonly memberId: string | null } | null,
): Promise<UsageLinesPage> {
  const days = readMonth(month);
  if (days === null) throw invalidInput("month", `month is ${quote(month)}; allowed: YYYY-MM, 1970-01 or later.`);
  const inZone = readZoneOf(zoneName);
  const { day, place } = after === undefined ? { day: days.fromDay, place: null } : readCursor(after);
  if (day < days.fromDay || day > days.toDay)
    throw invalidInput("after", `after is ${quote(after ?? "")}; allowed: \`next\` of a page of ${month}.`);
  const { usdPerCredit } = await catalog();
  const read = { day, zone: inZone, after: place, limit };
  const lines = of === null ? [] : await store.readUsageLines({ ...of, ...read });
  const next = nextCursor(lines, { day, limit, lastDay: days.toDay });
  return {
    ...presentHours(hoursOfRange({ ...days, zone: inZone })),
    usd_per_credit: formatUsd(NANO_PER_CREDIT, usdPerCredit),
    data: lines.map((line) => presentLine(line, { day, hours: hoursOfDay(day, inZone), usdPerCredit })),
    has_more: next !== null,
    next,
  };
}

/** After a full page the day goes on, after any other with the next one. */
function nextCursor(
  lines: readonly UsageLine[],
  { day, limit, lastDay }: { readonly day: number; readonly limit: number; readonly lastDay: number },
): string | null {
  const last = lines.at(-1);
  if (last !== undefined && lines.length === limit) {
    const { organizationId, keyId, memberId, model, label } = last;
    const place = JSON.stringify([organizationId, keyId, memberId, model, label]);
    return `${formatDay(day)}.${Buffer.from(place).toString("base64url")}`;
  }
  return day === lastDay ? null : formatDay(day + 1);
}

/** Throws 400 `invalid_input` (`after`). */
function readCursor(written: string): { readonly day: number; readonly place: UsageLinePlace | null } {
  const [date = "", encoded] = written.split(".");
  const day = readDay(date);
  const place = encoded === undefined ? null : readPlace(Buffer.from(encoded, "base64url").toString());
  if (day === null || place === undefined)
    throw invalidInput("after", `after is ${quote(written)}; allowed: \`next\` of another page.`);
  return { day, place };
}

/** Undefined: the text is none of ours. */
function readPlace(text: string): UsageLinePlace | undefined {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed) || parsed.length !== 5 || text.includes("\\u0000")) return undefined;
  const [organizationId, keyId, memberId, model, label]: readonly unknown[] = parsed;
  if (typeof organizationId !== "string" || typeof keyId !== "string" || typeof model !== "string") return undefined;
  if (!isTextOrNull(memberId) || !isTextOrNull(label)) return undefined;
  return { organizationId, keyId, memberId, model, label };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function presentLine(
  line: UsageLine,
  { day, hours: of, usdPerCredit }: { readonly day: number; readonly hours: Hours; readonly usdPerCredit: number },
): PresentedLine {
  return {
    day: formatDay(day),
    ...presentHours(of),
    organization: line.organizationId,
    organization_name: line.organizationName,
    key: line.keyId,
    name: line.keyName,
    member: line.memberId,
    email: line.memberEmail,
    model: line.model,
    label: line.label,
    responses: line.responses,
    input_tokens: line.inputTokens,
    cached_tokens: line.cachedTokens,
    cache_write_tokens: line.cacheWriteTokens,
    output_tokens: line.outputTokens,
    reasoning_tokens: line.reasoningTokens,
    credits: formatCredits(line.chargedNano),
    usd: formatUsd(line.chargedNano, usdPerCredit),
    saved: formatCredits(line.savedNano),
    saved_usd: formatUsd(line.savedNano, usdPerCredit),
  };
}

export const USAGE_LINES = {
  tag: "Money",
  operations: { readAllUsageLines, readUsageLines },
} as const satisfies Subject;
