import assert from "node:assert/strict";
import { test } from "node:test";
import { apiErrorOf } from "../../../test/support/responses.ts";
import { assertSameRequest, assertWaitIsOver, deletedResultError } from "./verdict.ts";

const earlier = { fingerprint: "f", keyId: "k" };

test("the same request with the same API key passes", () => assertSameRequest(earlier, "f", "k"));

test("another body, path or API key is a conflict that reveals nothing about the first request", () => {
  for (const [fingerprint, keyId] of [
    ["g", "k"],
    ["f", "l"],
    ["g", "l"],
  ] as const) {
    const rejection = apiErrorOf(() => assertSameRequest(earlier, fingerprint, keyId));
    assert.deepEqual([rejection.code, rejection.status, rejection.param], ["idempotency_conflict", 409, null]);
    assert.doesNotMatch(rejection.message, /resp_|conv_/);
  }
});

test("a deleted result is a conflict", () => {
  const rejection = deletedResultError();
  assert.deepEqual([rejection.code, rejection.status], ["idempotency_conflict", 409]);
});

test("the first request is in progress until its wait ends, with Retry-After 1", () => {
  for (const nowMs of [1000, 90_999]) {
    const rejection = apiErrorOf(() => assertWaitIsOver(1000, nowMs, 90));
    assert.deepEqual(
      [rejection.code, rejection.status, rejection.retryAfterSeconds],
      ["idempotency_in_progress", 409, 1],
    );
  }
  assertWaitIsOver(1000, 91_000, 90);
});
