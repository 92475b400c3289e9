import assert from "node:assert/strict";
import { test } from "node:test";
import { localStartOf, ownZone } from "../../parts/days.ts";
import { nameOfRange, RANGES, rangeOf } from "./time-range.ts";

const now = new Date(2026, 10, 23, 15, 30).getTime();
const zone = ownZone();

test("a range begins at its hour, day, week or month, and has its name in the URL's times", () => {
  const begins = [
    new Date(now - 3_600_000).toISOString(),
    new Date(2026, 10, 23).toISOString(),
    new Date(2026, 10, 17).toISOString(),
    new Date(2026, 10, 1).toISOString(),
  ].map((time) => `${time.slice(0, "YYYY-MM-DDTHH:MM".length)}Z`);
  assert.deepEqual(
    RANGES.map((name) => rangeOf(name, zone, now).from),
    begins,
  );
  for (const name of RANGES) assert.equal(nameOfRange(rangeOf(name, zone, now), zone, now), name);
});

test("other times are named by themselves", () => {
  const from = localStartOf("2026-11-03");
  assert.equal(nameOfRange({}, zone, now), null);
  assert.match(nameOfRange({ from }, zone, now) ?? "", /^since .*3/);
  assert.match(nameOfRange({ to: from }, zone, now) ?? "", /^before .*3/);
  assert.match(nameOfRange({ from, to: localStartOf("2026-11-05") }, zone, now) ?? "", /3.* to .*5/);
});
