import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf } from "../../../test/support/turns.ts";
import { checkSameRequest, checkWaitIsOver, refuseGoneResult } from "./replay.ts";

const earlier = { fingerprint: "f", keyId: "k" };

test("the same request by the same API key is the same", () => checkSameRequest(earlier, "f", "k"));

test("another body, path or API key is a conflict that tells nothing of the first request", () => {
  for (const [fingerprint, keyId] of [
    ["g", "k"],
    ["f", "l"],
    ["g", "l"],
  ] as const) {
    const refusal = refusalOf(() => checkSameRequest(earlier, fingerprint, keyId));
    assert.deepEqual([refusal.code, refusal.status, refusal.param], ["idempotency_conflict", 409, null]);
    assert.doesNotMatch(refusal.message, /resp_|conv_/);
  }
});

test("a result that is gone is a conflict", () => {
  const refusal = refuseGoneResult();
  assert.deepEqual([refusal.code, refusal.status], ["idempotency_conflict", 409]);
});

test("within the wait the first request is in progress, Retry-After 1; at its end no more", () => {
  for (const nowMs of [1000, 90_999]) {
    const refusal = refusalOf(() => checkWaitIsOver(1000, nowMs, 90));
    assert.deepEqual([refusal.code, refusal.status, refusal.retryAfterSeconds], ["idempotency_in_progress", 409, 1]);
  }
  checkWaitIsOver(1000, 91_000, 90);
});
