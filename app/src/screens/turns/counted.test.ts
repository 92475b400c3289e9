import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, dayIn, ownZone, secondsOf } from "../../parts/days.ts";
import { timeNameOf } from "../usage/rows.ts";
import { seriesOf, timesOf } from "../usage/series.ts";
import { timesOfDays, usageOfCounts } from "./counted.ts";
import { usageOf } from "./usage-of.ts";

const HOUR = 3600;

test("every counted turn is in a bar, and the times of the bar hold its hour", () => {
  for (const [from, to] of [
    ["2026-11-20T10:00Z", "2026-11-20T12:00Z"],
    ["2026-10-20T12:00Z", "2026-11-20T12:00Z"],
    ["2026-01-01T12:00Z", "2026-11-20T12:00Z"],
  ] as const) {
    const shown = usageOf({ from, to });
    const times = timesOfDays(shown);
    const data = ["a", "b"].flatMap((model, at) =>
      [times.from, secondsOf(from), times.to - HOUR].map((hour) => ({ from: hour, model, turns: at + 1 })),
    );
    const list = usageOfCounts({ data, read_from: null }, shown);
    const names = timesOf(shown, list);
    const series = seriesOf(list.data, shown, names);
    assert.deepEqual(
      series.map(({ name, values, total }) => [name, values.reduce((sum, value) => sum + value, 0), total]),
      [
        ["b", 6, 6],
        ["a", 3, 3],
      ],
      shown.every,
    );
    for (const [at, row] of list.data.entries()) {
      const hour = data[at]!.from;
      assert.ok((row.from ?? 0) <= hour && hour < (row.to ?? 0), timeNameOf(row, shown.every));
    }
  }
});

test("the times of days are whole days of the person's zone", () => {
  const { from, to } = timesOfDays({ from: "2026-10-24", to: "2026-10-26" });
  const dayOf = (seconds: number) => dayIn(ownZone(), 0, seconds * 1000);
  assert.deepEqual(
    [dayOf(from - 1), dayOf(from), dayOf(to - 1), dayOf(to)],
    ["2026-10-23", "2026-10-24", "2026-10-26", addDays("2026-10-26", 1)],
  );
});
