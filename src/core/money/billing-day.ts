// Billing days and hours: UTC days and hours, numbered from 1970-01-01, and the budget periods that contain them. The
// calendar is computed here, because the first use of Temporal costs each thread 2 ms.
import type { BudgetPeriod } from "../../contract/money.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
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
  return `${formatDay(dayOfHour(hour))}T${pad(hour % HOURS_PER_DAY, 2)}:00Z`;
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
  return day - dateOf(day).day + 1;
}

/** A day as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  const date = dateOf(day);
  return [pad(date.year, 4), pad(date.month, 2), pad(date.day, 2)].join("-");
}

/** The day `YYYY-MM-DD`, from 1970 on; null for any other text. */
export function readDay(text: string): number | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return null;
  const day = dayOf(year, month, date);
  // February 30 comes out as another day.
  return day >= 0 && day <= DAY_MAX && formatDay(day) === text ? day : null;
}

// The calendar repeats every 400 years. Here years begin in March, so that a leap day is the last of its year.
const DAYS_PER_ERA = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468;

/** The date of a day from 1970 on. */
function dateOf(day: number): { year: number; month: number; day: number } {
  const shifted = day + EPOCH;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - daysBefore(monthFromMarch) + 1,
  };
}

/** The day of a date; for a date that does not exist, another day. */
function dayOf(year: number, month: number, date: number): number {
  const fromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(fromMarch / 400);
  const yearOfEra = fromMarch - era * 400;
  const dayOfYear = daysBefore(month > 2 ? month - 3 : month + 9) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - EPOCH;
}

/** Days before a month in a year that begins in March; March is 0. */
function daysBefore(monthFromMarch: number): number {
  return Math.floor((153 * monthFromMarch + 2) / 5);
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}
