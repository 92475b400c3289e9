import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration, rateHeaders } from "./serve.ts";

test("durations are rounded up and have the format that clients know", () => {
  const rows: readonly (readonly [number, string])[] = [
    [-1, "0ms"],
    [0, "0ms"],
    [0.3, "1ms"],
    [12, "12ms"],
    [999, "999ms"],
    [999.5, "1s"],
    [1000, "1s"],
    [1001, "2s"],
    [59_000, "59s"],
    [59_001, "1m0s"],
    [60_000, "1m0s"],
    [90_000, "1m30s"],
    [360_000, "6m0s"],
  ];
  for (const [milliseconds, written] of rows) assert.equal(formatDuration(milliseconds), written);
});

test("an allowance is three headers", () => {
  assert.deepEqual(rateHeaders({ limit: 60, remaining: 0, resetMs: 1 }), [
    "x-ratelimit-limit-requests",
    "60",
    "x-ratelimit-remaining-requests",
    "0",
    "x-ratelimit-reset-requests",
    "1ms",
  ]);
});
