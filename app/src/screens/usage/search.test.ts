import assert from "node:assert/strict";
import { test } from "node:test";
import { readOwnUsageSearch, readUsageSearch, readWholeUsageSearch, usageFilterOf } from "./search.ts";

const DAYS = { from: "2026-11-01", to: "2026-11-30", zone: "Europe/Berlin" };

test("the URL's choices are kept, and whatever is no choice is not", () => {
  const given = { ...DAYS, metric: "responses", every: "month", by: "model", and: "key", member: "mem_1" };
  assert.deepEqual(readUsageSearch({ ...given, more: "x", key: "" }), given);
  const wrong = { by: "nothing", and: "model", every: "week", from: 7, to: "tomorrow", zone: "Mars/Base", metric: "x" };
  const { from, to, zone, ...rest } = readUsageSearch(wrong);
  assert.deepEqual(rest, { metric: "credits", every: "day", by: "none", and: "none", range: "30 days" });
  // 30 days, both ends included.
  assert.equal((Date.parse(to) - Date.parse(from)) / 86_400_000, 29);
  assert.equal(zone, new Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test("a word for the days comes before the days, which are others tomorrow", () => {
  const { from, to, range } = readUsageSearch({ ...DAYS, range: "today" });
  assert.deepEqual([from, range], [to, "today"]);
  assert.notEqual(from, DAYS.from);
});

test("a range never ends before it begins, and no group is named twice", () => {
  assert.equal(readUsageSearch({ from: "2026-11-30", to: "2026-11-01" }).from, "2026-11-01");
  assert.equal(readUsageSearch({ by: "key", and: "key" }).and, "none");
});

test("a link of an earlier version shows its day or hour", () => {
  const { by, every } = readUsageSearch({ by: "hour" });
  assert.deepEqual([by, every], ["none", "hour"]);
});

test("organizations are a group and a filter of all usage only", () => {
  const search = { by: "organization", organization: "org_1" };
  assert.deepEqual(readOwnUsageSearch({ ...search, ...DAYS }).by, "none");
  assert.ok(!("organization" in readOwnUsageSearch(search)));
  assert.equal(readWholeUsageSearch({}).by, "organization");
  assert.equal(readWholeUsageSearch({ by: "model" }).by, "model");
});

test("rows are asked for by the groups and the time, their total by the filters alone", () => {
  const search = readUsageSearch({ ...DAYS, by: "model", and: "key", every: "hour", key: "key_1" });
  assert.deepEqual(usageFilterOf(search), { ...DAYS, by: "model,key,hour", key: "key_1" });
  assert.deepEqual(usageFilterOf(search, true), { ...DAYS, key: "key_1" });
});
