import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { CHANGES_PER_MINUTE } from "../../contract/manage/limits.ts";
import { createChanges } from "./changes.ts";

test("an organization's changes are limited per minute, whatever others change", () => {
  let nowMs = 0;
  const draw = createChanges({ monotonicMs: () => nowMs });
  for (let change = 0; change < CHANGES_PER_MINUTE; change++) draw("org_a");
  assert.throws(
    () => draw("org_a"),
    (error) => error instanceof ApiError && error.code === "rate_limit_exceeded" && error.retryAfterSeconds === 1,
  );
  draw("org_b");
  nowMs = 60_000 / CHANGES_PER_MINUTE;
  draw("org_a");
  assert.throws(() => draw("org_a"), ApiError);
});
