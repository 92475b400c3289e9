// Billing days and hours: UTC days and hours, numbered from 1970-01-01, and the budget periods that contain them. The
// calendar is that of `Date`, because the first use of Temporal costs each thread 2 ms.
import { DAY_MS, HOUR_MS } from "../../base/time.ts";
import type { BudgetPeriod } from "../../contract/money.ts";

export const HOURS_PER_DAY = 24;
/** 9999-12-31. */
export const DAY_MAX = 2_932_896;

/** The day of a time in milliseconds since 1970. docs/wire.md (Budget day) */
export function billingDayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

/** The hour of a time in milliseconds since 1970. */
export function billingHourOf(nowMs: number): number {
  return Math.floor(nowMs / HOUR_MS);
}

/** The day that contains an hour. */
export function dayOfHour(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY);
}

/** An hour as `YYYY-MM-DDTHH:00Z`. */
export function formatHour(hour: number): string {
  return `${new Date(hour * HOUR_MS).toISOString().slice(0, "YYYY-MM-DDTHH".length)}:00Z`;
}

/** First day of the period that contains a day; 0 for `total`. */
export function firstDayOf(period: BudgetPeriod, day: number): number {
  return PERIODS[period].first(day);
}

/** First day of the next period; null for `total`. */
export function firstDayAfter(period: BudgetPeriod, firstDay: number): number | null {
  return PERIODS[period].next(firstDay);
}

interface Period {
  first(day: number): number;
  next(firstDay: number): number | null;
}

const PERIODS: Readonly<Record<BudgetPeriod, Period>> = {
  day: { first: (day) => day, next: (firstDay) => firstDay + 1 },
  // 31 days after the first of a month is always a day of the next one.
  month: { first: firstDayOfMonth, next: (firstDay) => firstDayOfMonth(firstDay + 31) },
  total: { first: () => 0, next: () => null },
};

function firstDayOfMonth(day: number): number {
  return day - new Date(day * DAY_MS).getUTCDate() + 1;
}

/** A day as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, "YYYY-MM-DD".length);
}

/** The day `YYYY-MM-DD`, from 1970 on; null for any other text. */
export function readDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const day = Date.parse(text) / DAY_MS;
  // February 30 comes out as another day, the 32nd as none.
  return day >= 0 && formatDay(day) === text ? day : null;
}

/** The first and the last day of a month `YYYY-MM`, from 1970 on; null for any other text. */
export function readMonth(text: string): { readonly fromDay: number; readonly toDay: number } | null {
  const fromDay = readDay(`${text}-01`);
  return fromDay === null ? null : { fromDay, toDay: firstDayOfMonth(fromDay + 31) - 1 };
}
