import assert from "node:assert/strict";
import { test } from "node:test";
import { daysOf, formatDays } from "./day-range.ts";

const NOW = Date.parse("2026-03-01T02:00Z");

test("a range has its days in the zone, both included", () => {
  assert.deepEqual(daysOf("today", "UTC", NOW), { from: "2026-03-01", to: "2026-03-01" });
  assert.deepEqual(daysOf("7 days", "UTC", NOW), { from: "2026-02-23", to: "2026-03-01" });
  assert.deepEqual(daysOf("30 days", "UTC", NOW), { from: "2026-01-31", to: "2026-03-01" });
  assert.deepEqual(daysOf("last month", "UTC", NOW), { from: "2026-02-01", to: "2026-02-28" });
  // It is still February there.
  assert.deepEqual(daysOf("this month", "America/New_York", NOW), { from: "2026-02-01", to: "2026-02-28" });
});

test("days are called as people write them", () => {
  assert.match(formatDays({ from: "2026-01-02", to: "2026-01-05" }), /2.*5.*2026/);
});
