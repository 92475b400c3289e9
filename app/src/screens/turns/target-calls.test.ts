import assert from "node:assert/strict";
import { test } from "node:test";
import { callsOf } from "./target-calls.ts";

const failed = (target: string, startedMs: number, durationMs: number) => ({
  target,
  code: "provider_overloaded" as const,
  provider_status: 529,
  provider_request_id: `req_${target}`,
  started_ms: startedMs,
  duration_ms: durationMs,
});
const turn = {
  failed_attempts: [failed("one/m", 100, 50), failed("two/m", 150, 150)],
  target: "one/m",
  target_started_ms: 400,
  duration_ms: 500,
  provider_request_id: "req_last",
};

test("the calls stand on the time from the first call to the end, the pause between them too", () => {
  const calls = callsOf(turn);
  assert.deepEqual(
    calls.map(({ target, startedMs, durationMs, failure }) => [
      target,
      startedMs,
      durationMs,
      failure?.provider_status,
    ]),
    [
      ["one/m", 100, 50, 529],
      ["two/m", 150, 150, 529],
      ["one/m", 400, 100, undefined],
    ],
  );
  assert.deepEqual(
    calls.map(({ bar }) => bar),
    [
      { from: 0, length: 0.125 },
      { from: 0.125, length: 0.375 },
      { from: 0.75, length: 0.25 },
    ],
  );
});

test("a call without times has no bar, and a turn whose target is unknown has the failed calls only", () => {
  assert.equal(callsOf({ ...turn, target_started_ms: null }).at(-1)?.bar, null);
  assert.equal(callsOf({ ...turn, target: null }).length, 2);
  const atOnce = { ...turn, failed_attempts: [failed("one/m", 0, 0)], target_started_ms: 0, duration_ms: 0 };
  assert.deepEqual(
    callsOf(atOnce).map(({ bar }) => bar),
    [null, null],
  );
});
