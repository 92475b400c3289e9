import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../base/time.ts";
import {
  billingDayOf,
  billingHourOf,
  dayOfHour,
  firstDayAfter,
  firstDayOf,
  formatDay,
  formatHour,
  readDay,
  readMonth,
} from "./billing-day.ts";

/** 2100 is not a leap year; 2000 was. */
const LAST = Date.UTC(2101, 0, 1) / DAY_MS;

test("days are UTC days", () => {
  assert.equal(billingDayOf(0), 0);
  assert.equal(billingDayOf(DAY_MS - 1), 0);
  assert.equal(billingDayOf(DAY_MS), 1);
});

test("every day of 130 years is formatted and read like the runtime's calendar", () => {
  for (let day = 0; day < LAST; day++) {
    const expected = new Date(day * DAY_MS).toISOString().slice(0, 10);
    assert.equal(formatDay(day), expected);
    assert.equal(readDay(expected), day);
  }
});

test("months begin on their first day and follow each other", () => {
  for (let day = 0; day < LAST; day++) {
    const date = new Date(day * DAY_MS);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const first = Date.UTC(year, month, 1) / DAY_MS;
    assert.equal(firstDayOf("month", day), first);
    assert.equal(firstDayAfter("month", first), Date.UTC(year, month + 1, 1) / DAY_MS);
  }
});

test("a day is its own period, and the total has one period", () => {
  assert.deepEqual([firstDayOf("day", 20_000), firstDayAfter("day", 20_000)], [20_000, 20_001]);
  assert.deepEqual([firstDayOf("total", 20_000), firstDayAfter("total", 0)], [0, null]);
});

test("a text that is not a day reads as null", () => {
  for (const text of ["", "2026", "2026-1-01", "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "1969-12-31"]) {
    assert.equal(readDay(text), null, text);
  }
  for (const text of ["2026-01-01T00:00:00Z", " 2026-01-01", "9999-99-99", "yesterday"]) {
    assert.equal(readDay(text), null, text);
  }
  assert.equal(formatDay(readDay("9999-12-31") ?? 0), "9999-12-31");
});

test("an hour belongs to the day that contains it", () => {
  const hour = billingHourOf(Date.UTC(2026, 9, 25, 1, 59));
  assert.equal(formatHour(hour), "2026-10-25T01:00Z");
  assert.equal(formatDay(dayOfHour(hour)), "2026-10-25");
  assert.equal(dayOfHour(23), 0);
  assert.equal(dayOfHour(24), 1);
});

test("a month has its first and its last day, from 1970 on", () => {
  const daysOf = (text: string) => {
    const month = readMonth(text);
    return month && [formatDay(month.fromDay), formatDay(month.toDay)];
  };
  assert.deepEqual(daysOf("2026-02"), ["2026-02-01", "2026-02-28"]);
  assert.deepEqual(daysOf("2028-02"), ["2028-02-01", "2028-02-29"]);
  assert.deepEqual(daysOf("1970-01"), ["1970-01-01", "1970-01-31"]);
  assert.deepEqual(daysOf("9999-12"), ["9999-12-01", "9999-12-31"]);
  for (const text of ["1969-12", "2026-00", "2026-13", "2026-1", "2026-01-01", "2026", ""]) {
    assert.equal(readMonth(text), null, text);
  }
});
