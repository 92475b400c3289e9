import assert from "node:assert/strict";
import { test } from "node:test";
import { ownZone } from "../../parts/days.ts";
import { usageOf } from "./usage-of.ts";

test("a filter of the log is taken along, and its days are shown whole: few by hour, many by month", () => {
  const rows = [
    ["2026-11-20T10:00Z", "2026-11-20T11:00Z", "hour"],
    ["2026-11-01T12:00Z", "2026-11-20T12:00Z", "day"],
    ["2026-01-01T12:00Z", "2026-11-20T12:00Z", "month"],
  ] as const;
  for (const [from, to, every] of rows) {
    const search = usageOf({ from, to, key: "key_1" });
    assert.deepEqual([search.every, search.key, search.zone], [every, "key_1", ownZone()]);
    assert.ok(search.from <= from.slice(0, 10) || ownZone() !== "UTC");
  }
  assert.ok(!("model" in usageOf({})));
  assert.equal(usageOf({}).every, "day");
  // The responses that are shown below the chart are in it.
  assert.equal(usageOf({ to: "2026-11-20T12:00Z" }, Date.UTC(2026, 10, 2, 12) / 1000).from, "2026-11-02");
  assert.equal(usageOf({ to: "2026-11-20T12:00Z" }, Date.UTC(2026, 10, 19, 12) / 1000).from, "2026-11-14");
  // A range that lies in the future, or ends before it begins, is one day.
  const reversed = usageOf({ from: "2026-11-20T12:00Z", to: "2026-11-01T12:00Z" });
  assert.equal(reversed.from, reversed.to);
});
