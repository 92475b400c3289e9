// Operations that read usage. docs/management.md (Usage)
import { invalidInput } from "../../contract/errors.ts";
import { USAGE_ROWS_MAX } from "../../contract/manage/limits.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import type { UsageGrouping } from "../../contract/money.ts";
import { readDay } from "../../core/money/billing-day.ts";
import {
  describeUsageGroupings,
  readUsageGroupings,
  type UsageScope,
  usageTimeOf,
} from "../../core/money/usage-groupings.ts";
import { checkRange, type Hours, hoursOfRange, readZone, type UsageRange } from "../../core/money/usage-spans.ts";
import type { MoneyStore, UsageRow } from "../../ports/store/money.ts";
import { presentUsage } from "../accounts/present-spending.ts";
import type { AuthorizedRequest, OrganizationRequest } from "./authorized-request.ts";
import { readableMember } from "./principal.ts";
import { quote, textOrNone } from "./query-text.ts";

type UsageQuery = Omit<Parameters<MoneyStore["readUsage"]>[0], "organizationId">;

/**
 * Usage of the whole organization for owners, admins and the operator, of their own keys for members. Throws 400
 * `invalid_input` with the parameter that is not valid, or `by` for too many rows.
 */
export async function readUsage(
  { services, principal, organization }: OrganizationRequest,
  given: QueryOf<"readUsage">,
) {
  const query = readUsageQuery(given, "organization");
  const memberId = readableMember(principal, query.memberId);
  if (memberId === undefined) return presentRows([], query);
  const of = { ...query, organizationId: organization.id, memberId };
  return presentRows(await services.store.readUsage(of), query);
}

/** The usage of all organizations, or of a named one, for the operator. Throws as `readUsage`. */
export async function readAllUsage(
  { services }: AuthorizedRequest,
  { organization: organizationId, ...given }: QueryOf<"readAllUsage">,
) {
  const query = readUsageQuery(given, "platform");
  return presentRows(await services.store.readUsage({ ...query, organizationId }), query);
}

function readUsageQuery(query: QueryOf<"readUsage">, scope: UsageScope): UsageQuery {
  const by = readGroupings(query.by, scope);
  const range = {
    fromDay: readDayOf("from", query.from),
    toDay: readDayOf("to", query.to),
    zone: readZoneOf(query.zone),
  };
  const wrong = checkRange(range, usageTimeOf(by));
  if (wrong !== null) throw invalidInput("from", `${wrong}.`);
  return {
    by,
    ...range,
    keyId: query.key,
    memberId: textOrNone(query.member),
    model: query.model,
    // One more than there may be, which tells that there are too many.
    limit: USAGE_ROWS_MAX + 1,
  };
}

/** Rows of usage, and when the turns began that they count, as the log of turns takes it. */
function presentRows(rows: readonly UsageRow[], { by, zone = null, fromDay, toDay }: UsageQuery) {
  if (rows.length > USAGE_ROWS_MAX) {
    throw invalidInput("by", `There are more than ${USAGE_ROWS_MAX} rows: ask for fewer days or coarser groups.`);
  }
  return { ...presentRange({ fromDay, toDay, zone }), data: rows.map((row) => presentRow(row, by)) };
}

function presentRow(row: UsageRow, by: readonly UsageGrouping[]) {
  return { ...presentUsage(row, by), ...(row.hours === null ? {} : presentHours(row.hours)) };
}

function presentRange(range: UsageRange) {
  const { from, to } = presentHours(hoursOfRange(range));
  return { from: range.fromDay === null ? null : from, to: range.toDay === null ? null : to };
}

const HOUR_SECONDS = 3600;

/** Unix seconds: the first one, and the first one after. */
function presentHours({ from, to }: Hours) {
  return { from: from * HOUR_SECONDS, to: (to + 1) * HOUR_SECONDS };
}

function readGroupings(text: string | null, scope: UsageScope): readonly UsageGrouping[] {
  const groupings = text === null ? [] : readUsageGroupings(text, scope);
  if (groupings !== null) return groupings;
  throw invalidInput("by", `by is ${quote(text ?? "")}; allowed: ${describeUsageGroupings(scope)}.`);
}

function readDayOf(param: string, text: string | null): number | null {
  const day = text === null ? null : readDay(text);
  if (text === null || day !== null) return day;
  throw invalidInput(param, `${param} is ${quote(text)}; allowed: a day as YYYY-MM-DD, 1970 or later.`);
}

function readZoneOf(text: string | null): string | null {
  const zone = text === null ? null : readZone(text);
  if (zone !== undefined) return zone;
  throw invalidInput("zone", `zone is ${quote(text ?? "")}; allowed: the name of a time zone, such as Europe/Berlin.`);
}
