// The figures of the last hour's turns.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedResponse } from "../ports/store/response-log.ts";
import { summarize, TURN_FIGURES } from "./turn-figures.ts";

const turn = (durationMs: number | null, failureCode: LoggedResponse["failureCode"] = null) => ({
  durationMs,
  firstOutputMs: durationMs === null ? null : durationMs / 10,
  failureCode,
});

test("percentiles are values of turns; those that are not known do not count", () => {
  const turns = [turn(null), ...Array.from({ length: 100 }, (_, index) => turn((100 - index) * 10))];
  const summary = summarize(turns, { from: 0, to: 3600, until: 3600, hasMore: false });
  assert.deepEqual(summary.duration_ms, { p50: 500, p95: 950 });
  assert.deepEqual(summary.first_output_ms, { p50: 50, p95: 95 });
  assert.equal(summary.turns_per_minute, 1.68);
  assert.deepEqual(summarize([turn(7)], { from: 0, to: 60, until: 60, hasMore: false }).duration_ms, {
    p50: 7,
    p95: 7,
  });
  assert.equal(summarize([turn(null)], { from: 0, to: 60, until: 60, hasMore: false }).duration_ms, null);
});

test("failures are counted by code, most frequent first", () => {
  const codes = ["run_failed", "provider_error", null, "provider_error", "canceled"] as const;
  const { failures } = summarize(
    codes.map((code) => turn(1, code)),
    { from: 0, to: 60, until: 60, hasMore: false },
  );
  assert.deepEqual(failures, [
    { code: "provider_error", turns: 2 },
    { code: "canceled", turns: 1 },
    { code: "run_failed", turns: 1 },
  ]);
});

test("when not all turns of the hour are read, the figures begin with the oldest that was", async () => {
  const turns = [9990, 9970].map((createdAt) => ({ ...turn(5), createdAt })) as unknown as LoggedResponse[];
  const next = { createdAt: 9970, responseId: "resp_a" };
  const at = {
    nowMs: 9_999_500,
    organization: { id: "org_acme" },
    role: "operator",
    session: null,
  };
  const read = (listTurns: () => Promise<object>) =>
    TURN_FIGURES.operations.showTurnSummary.run({ ...at, store: { listResponses: listTurns } } as never, {});
  const some = await read(async () => ({ responses: turns, next }));
  assert.deepEqual([some.from, some.to, some.has_more, some.turns_per_minute], [9970, 10_020, true, 4]);
  const all = await read(async () => ({ responses: turns, next: null }));
  assert.deepEqual([all.from, all.to, all.has_more, all.turns], [6420, 10_020, false, 2]);
});
