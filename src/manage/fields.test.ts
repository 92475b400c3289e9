import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOf } from "../base/time.ts";
import { TIME } from "./fields.ts";

const NOON = Date.UTC(2026, 10, 30, 12) / 1000;

test("a time may be a day, and have seconds, a fraction and a zone; without one it is in UTC", () => {
  for (const [written, seconds] of [
    ["2026-11-30", NOON - 12 * 3600],
    ["2026-11-30T12:00", NOON],
    ["2026-11-30T12:00:07", NOON + 7],
    ["2026-11-30T12:00:07.999", NOON + 7],
    ["2026-11-30T12:00Z", NOON],
    ["2026-11-30T14:00:07.5+02:00", NOON + 7],
    ["2026-11-30T06:30-05:30", NOON],
  ] as const) {
    assert.equal(TIME.from(written), seconds, written);
  }
});

test("a time as lists print it is taken", () => {
  assert.equal(TIME.from(timeOf(NOON + 7)), NOON + 7);
});

test("what is no time is rejected", () => {
  for (const written of [
    "2026-02-30",
    "2026-02-30T10:00Z",
    "2026-11-30T24:00",
    "2026-11-30T12",
    "2026-11-30Z",
    "tomorrow",
    "",
  ]) {
    assert.equal(TIME.from(written), null, written);
  }
});
