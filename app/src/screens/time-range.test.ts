import assert from "node:assert/strict";
import { test } from "node:test";
import { localStartOf, ownZone } from "../parts/days.ts";
import { nameOfTimes, RANGES, rangeOf, readTimes } from "./time-range.ts";

const now = new Date(2026, 10, 23, 15, 30).getTime();
const zone = ownZone();

test("a range begins at its hour, day or month; only a month that is over has an end", () => {
  const times = [
    [new Date(now - 3_600_000)],
    [new Date(2026, 10, 23)],
    [new Date(2026, 10, 17)],
    [new Date(2026, 9, 25)],
    [new Date(2026, 10, 1)],
    [new Date(2026, 9, 1), new Date(2026, 10, 1)],
  ].map((dates) => dates.map((date) => `${date.toISOString().slice(0, "YYYY-MM-DDTHH:MM".length)}Z`));
  assert.deepEqual(
    RANGES.map((name) => Object.values(rangeOf(name, zone, now))),
    times,
  );
});

test("the URL keeps a range by its name, which is no other tomorrow", () => {
  assert.deepEqual(readTimes({ range: "today", from: "2026-11-01T00:00Z" }), { range: "today" });
  assert.equal(nameOfTimes({ range: "the last hour" }, now), "the last hour");
  assert.deepEqual(readTimes({ range: "a year", to: "2026-11-01T00:00Z" }), { to: "2026-11-01T00:00Z" });
});

test("other times are named by themselves", () => {
  const from = localStartOf("2026-11-03");
  assert.equal(nameOfTimes({}, now), null);
  assert.match(nameOfTimes({ from }, now) ?? "", /^since .*3/);
  assert.match(nameOfTimes({ to: from }, now) ?? "", /^before .*3/);
  assert.match(nameOfTimes({ from, to: localStartOf("2026-11-05") }, now) ?? "", /3.* to .*5/);
});
