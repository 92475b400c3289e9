import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, dayIn, daysBetween, isZone, localInputOf, monthStartIn, readTime, timeOfLocalInput } from "./days.ts";

test("a day is that of the zone", () => {
  const now = Date.parse("2026-10-25T23:30Z");
  assert.equal(dayIn("UTC", 0, now), "2026-10-25");
  assert.equal(dayIn("Europe/Berlin", 0, now), "2026-10-26");
  assert.equal(dayIn("America/New_York", 7, now), "2026-10-18");
  assert.equal(monthStartIn("Pacific/Auckland", Date.parse("2026-10-31T12:00Z")), "2026-11-01");
});

test("days of the calendar follow one another, whatever clocks do", () => {
  assert.equal(addDays("2026-02-27", 2), "2026-03-01");
  assert.deepEqual(daysBetween("2026-10-24", "2026-10-26"), ["2026-10-24", "2026-10-25", "2026-10-26"]);
  assert.deepEqual(daysBetween("2026-10-26", "2026-10-24"), []);
});

test("a time is entered and shown as a local one", () => {
  for (const time of ["2026-03-29T12:30Z", "2026-10-25T12:00Z"]) {
    assert.equal(timeOfLocalInput(localInputOf(time)), time);
  }
  assert.equal(timeOfLocalInput(""), undefined);
  assert.deepEqual([isZone("Europe/Berlin"), isZone("Mars/Base")], [true, false]);
  assert.deepEqual([readTime("2026-02-30T25:00Z"), readTime(7)], [undefined, undefined]);
});
