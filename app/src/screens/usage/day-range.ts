// The days of usage that a person chooses by a word.
import { addDays, dayIn, monthOf } from "../../parts/days.ts";
import { LOCALE } from "../../parts/locale.ts";

interface Days {
  readonly from: string;
  readonly to: string;
}

const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

export const DAY_RANGES = ["today", "7 days", "30 days", "this month", "last month"] as const;
export type DayRange = (typeof DAY_RANGES)[number];
/** What usage shows by itself. */
export const DEFAULT_RANGE = "30 days" satisfies DayRange;

/** The days of a range, both included, in a zone. */
export function daysOf(name: DayRange, zone: string, nowMs = Date.now()): Days {
  const today = dayIn(zone, 0, nowMs);
  const first = `${monthOf(today)}-01`;
  const ranges: Readonly<Record<DayRange, Days>> = {
    today: { from: today, to: today },
    "7 days": { from: addDays(today, 1 - WEEK_DAYS), to: today },
    "30 days": { from: addDays(today, 1 - MONTH_DAYS), to: today },
    "this month": { from: first, to: today },
    "last month": { from: `${monthOf(addDays(first, -1))}-01`, to: addDays(first, -1) },
  };
  return ranges[name];
}

const format = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** Days as people write them. */
export function formatDays({ from, to }: Days): string {
  return format.formatRange(Date.parse(from), Date.parse(to));
}
