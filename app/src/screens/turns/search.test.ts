import assert from "node:assert/strict";
import { test } from "node:test";
import { queryOf, readTurnsSearch } from "./search.ts";

test("the URL's filters are kept, and whatever is no filter is not", () => {
  const given = { from: "2026-11-01", key: "key_1", status: "failed", failure_code: "run_failed" } as const;
  assert.deepEqual(readTurnsSearch({ ...given, more: "x", model: "", member: 7 }), given);
  assert.deepEqual(readTurnsSearch({ status: "done", failure_code: "none", to: "tomorrow" }), {});
});

test("days are asked for from the begin of the first to the end of the last", () => {
  assert.deepEqual(queryOf({ from: "1970-01-02", to: "1970-01-02", model: "m" }), {
    from: 86_400,
    to: 2 * 86_400,
    model: "m",
  });
  assert.deepEqual(queryOf({}), {});
});
