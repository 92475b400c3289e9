// Local days and months as spans of UTC hours. Usage is kept by UTC hour, so a day is the hours that begin in it: 23 to
// 25 of them, and in a zone that is half an hour off, a day from half past midnight on. docs/management.md (Usage)
import { HOUR_MS } from "../../base/time.ts";
import { USAGE_DAYS_MAX } from "../../contract/money.ts";
import { DAY_MAX, firstDayAfter, firstDayOf, formatDay, HOURS_PER_DAY } from "./billing-day.ts";
import type { UsageTime } from "./usage-groupings.ts";

const HOUR_NANOSECONDS = 3.6e12;
const ZONE_CHARACTERS_MAX = 64;

/** Days of a time zone, both ends included; null: open. */
export interface UsageRange {
  readonly fromDay: number | null;
  readonly toDay: number | null;
  /** The name of a time zone; null: UTC. */
  readonly zone: string | null;
}

/** UTC hours since 1970, both ends included. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

/** Hours whose local day is `(hour + shift) / 24`, or that belong to one month. */
export interface UsageSpan extends Hours {
  readonly shift: number;
  /** `YYYY-MM`; null: the span is not of one month. */
  readonly month: string | null;
}

/** Reads the name of a time zone: null is UTC, undefined an unknown name. */
export function readZone(text: string): string | null | undefined {
  if (text.toUpperCase() === "UTC") return null;
  if (text.length > ZONE_CHARACTERS_MAX || !/^[A-Za-z][\w+/-]*$/.test(text)) return undefined;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return undefined;
  }
}

/** Why a range cannot be read; null: it can. */
export function checkRange({ fromDay, toDay, zone }: UsageRange, time: UsageTime | null): string | null {
  if (fromDay !== null && toDay !== null && fromDay > toDay) return "from is later than to";
  if (zone === null && time !== "month") return null;
  if (fromDay === null || toDay === null) return "from and to are needed with a zone, and by month";
  return toDay - fromDay < USAGE_DAYS_MAX ? null : `from and to are more than ${USAGE_DAYS_MAX} days apart`;
}

/** The hours of a range that `checkRange` allows. */
export function hoursOfRange({ fromDay, toDay, zone }: UsageRange): Hours {
  return { from: firstHourOf(fromDay ?? 0, zone), to: firstHourOf((toDay ?? DAY_MAX) + 1, zone) - 1 };
}

/** The hours of a day. */
export function hoursOfDay(day: number, zone: string | null): Hours {
  return hoursOfRange({ fromDay: day, toDay: day, zone });
}

/** The spans of a range that `checkRange` allows, in their order: together they have each of its hours once. */
export function usageSpans(range: UsageRange, time: UsageTime | null): readonly UsageSpan[] {
  if (time === "month") return monthsOf(range);
  if (time === "day" && range.zone !== null) return stretchesOf(hoursOfRange(range), range.zone);
  return [{ ...hoursOfRange(range), shift: 0, month: null }];
}

/** A span for each month, the first and the last as far as they are in the range. */
function monthsOf({ fromDay, toDay, zone }: UsageRange): UsageSpan[] {
  const spans: UsageSpan[] = [];
  const last = toDay ?? 0;
  for (let day = fromDay ?? 0; day <= last; ) {
    const first = firstDayOf("month", day);
    const next = firstDayAfter("month", first) ?? last + 1;
    const hours = hoursOfRange({ fromDay: day, toDay: Math.min(next - 1, last), zone });
    spans.push({ ...hours, shift: 0, month: formatDay(first).slice(0, "YYYY-MM".length) });
    day = next;
  }
  return spans;
}

/** A span for each stretch of time with the same offset from UTC. */
function stretchesOf({ from, to }: Hours, zone: string): UsageSpan[] {
  const spans: UsageSpan[] = [];
  for (let hour = from; hour <= to; ) {
    const local = Temporal.Instant.fromEpochMilliseconds(hour * HOUR_MS).toZonedDateTimeISO(zone);
    const change = local.getTimeZoneTransition("next");
    const next = change === null ? to + 1 : Math.min(hourFrom(change.epochMilliseconds), to + 1);
    // The day of an hour is that of its first moment: whole hours decide, whatever half of one the offset has.
    const shift = Math.floor(local.offsetNanoseconds / HOUR_NANOSECONDS);
    spans.push({ from: hour, to: next - 1, shift, month: null });
    hour = next;
  }
  return spans;
}

/** The first hour that begins on a day or later. */
function firstHourOf(day: number, zone: string | null): number {
  if (zone === null) return day * HOURS_PER_DAY;
  // No constant: the first use of Temporal costs each thread 2 ms, and few ask for a zone.
  const epoch = new Temporal.PlainDate(1970, 1, 1);
  return hourFrom(epoch.add({ days: day }).toZonedDateTime(zone).epochMilliseconds);
}

/** The first hour that begins at a time or later. */
function hourFrom(ms: number): number {
  return Math.ceil(ms / HOUR_MS);
}
