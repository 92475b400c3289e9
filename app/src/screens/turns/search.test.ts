import assert from "node:assert/strict";
import { test } from "node:test";
import { queryOf } from "../time-range.ts";
import { readTurnsSearch } from "./search.ts";

test("the URL's filters are kept, and whatever is no filter is not", () => {
  const given = { from: "2026-11-01T15:00Z", key: "key_1", status: "failed", failure_code: "run_failed" } as const;
  assert.deepEqual(readTurnsSearch({ ...given, more: "x", model: "", member: 7 }), given);
  const wrong = { status: "done", failure_code: "none", to: "tomorrow", from: "2026-13-01T00:00Z" };
  assert.deepEqual(readTurnsSearch(wrong), {});
});

test("a day of an earlier link is that of UTC", () => {
  const search = readTurnsSearch({ from: "1970-01-02", to: "1970-01-02", model: "m" });
  assert.deepEqual(search, { from: "1970-01-02T00:00Z", to: "1970-01-03T00:00Z", model: "m" });
  assert.deepEqual(queryOf(search), { from: 86_400, to: 2 * 86_400, model: "m" });
  assert.deepEqual(queryOf({}), {});
});
