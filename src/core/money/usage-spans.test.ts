import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { formatDay, readDay } from "./billing-day.ts";
import { checkRange, hoursOfDay, hoursOfRange, readZone, usageSpans } from "./usage-spans.ts";

const day = (text: string) => readDay(text) ?? Number.NaN;
const lengthOf = ({ from, to }: { from: number; to: number }) => to - from + 1;

test("a day has 23 hours when clocks are put forward, and 25 when they are put back", () => {
  const rows = [
    ["Europe/Berlin", "2026-03-28", 24],
    ["Europe/Berlin", "2026-03-29", 23],
    ["Europe/Berlin", "2026-10-25", 25],
    ["America/New_York", "2026-03-08", 23],
    ["America/New_York", "2026-11-01", 25],
    ["Asia/Kolkata", "2026-03-29", 24],
    // Clocks are put back by half an hour, and 25 hours begin in the day's 24 and a half.
    ["Australia/Lord_Howe", "2026-04-05", 25],
    // Clocks are put forward at midnight.
    ["America/Havana", "2026-03-08", 23],
    // The island skipped it.
    ["Pacific/Apia", "2011-12-30", 0],
    [null, "2026-03-29", 24],
  ] as const;
  for (const [zone, text, hours] of rows) assert.equal(lengthOf(hoursOfDay(day(text), zone)), hours, `${zone} ${text}`);
});

test("in a zone that is half an hour off, a day begins with the hour that begins at half past midnight", () => {
  // 18:30Z is midnight in Kolkata; the hour from 18:00Z belongs to the day before.
  assert.deepEqual(hoursOfDay(day("1970-01-03"), "Asia/Kolkata"), { from: 24 + 19, to: 48 + 18 });
});

test("every hour of a range is in one span, which has the day that its first moment has there", () => {
  const zones = [null, "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns"];
  const dayIn = (zone: string) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: day("2024-01-01"), max: day("2028-01-01") }),
      fc.nat({ max: 250 }),
      (zone, fromDay, more) => {
        const range = { fromDay, toDay: fromDay + more, zone };
        const whole = hoursOfRange(range);
        for (const time of ["day", "month", "hour", null] as const) {
          let next = whole.from;
          for (const { from, to, shift, month } of usageSpans(range, time)) {
            assert.equal(from, next);
            next = to + 1;
            const format = dayIn(zone ?? "UTC");
            for (const hour of [from, from + 1, to - 1, to]) {
              const local = format.format(hour * 3_600_000);
              if (time === "day") assert.equal(formatDay(Math.floor((hour + shift) / 24)), local);
              if (time === "month") assert.equal(month, local.slice(0, 7));
            }
          }
          assert.equal(next, whole.to + 1);
        }
        const days = Array.from({ length: more + 1 }, (_, index) => hoursOfDay(fromDay + index, zone));
        assert.equal(days[0]?.from, whole.from);
        for (const [index, { to }] of days.entries()) assert.equal(days[index + 1]?.from ?? whole.to + 1, to + 1);
      },
    ),
    { numRuns: 40 },
  );
});

test("a zone is known by its name, in any letter case", () => {
  assert.equal(readZone("Europe/Berlin"), "Europe/Berlin");
  assert.notEqual(readZone("europe/berlin"), undefined);
  assert.equal(readZone("utc"), null);
  for (const text of ["", "Mars/Base", "+05:30", "20200101T0000Z", "2026-01-01[Europe/Berlin]", "A".repeat(65)]) {
    assert.equal(readZone(text), undefined, text);
  }
});

test("a range in another zone and by month has both ends, at most ten years apart", () => {
  const range = (from: string | null, to: string | null, zone: string | null) => ({
    fromDay: from === null ? null : day(from),
    toDay: to === null ? null : day(to),
    zone,
  });
  assert.equal(checkRange(range(null, null, null), "day"), null);
  assert.equal(checkRange(range("2020-01-01", "2029-12-31", "Europe/Berlin"), "month"), null);
  assert.equal(checkRange(range("9999-12-31", "9999-12-31", "Europe/Berlin"), "day"), null);
  assert.ok(hoursOfRange(range("9999-12-31", "9999-12-31", "Europe/Berlin")).to > 0);
  for (const [one, time] of [
    [range("2026-01-02", "2026-01-01", null), "day"],
    [range(null, "2026-01-01", "Europe/Berlin"), "day"],
    [range("2026-01-01", null, null), "month"],
    [range("2016-01-01", "2029-12-31", "Europe/Berlin"), null],
  ] as const) {
    assert.notEqual(checkRange(one, time), null);
  }
});
