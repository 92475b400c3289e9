// The calls of a model's targets in one turn, and where they stand on its time.
import type { TurnDetail } from "../../api/client.ts";

export interface TargetCall {
  readonly target: string;
  /** Milliseconds from the turn's begin; null: not recorded. */
  readonly startedMs: number | null;
  /** Null: not known. */
  readonly durationMs: number | null;
  /** Why it failed; null: the last call, whose outcome is the turn's. */
  readonly failure: Pick<TurnDetail["failed_attempts"][number], "code" | "provider_status"> | null;
  readonly requestId: string | null;
  /** The place of its bar: begin and length as shares of the time from the first call to the turn's end; null: unknown. */
  readonly bar: { readonly from: number; readonly length: number } | null;
}

/** The calls of a turn in order: those that failed, then the one that ran it or failed last. */
export function callsOf(
  turn: Pick<TurnDetail, "failed_attempts" | "target" | "target_started_ms" | "duration_ms" | "provider_request_id">,
): readonly TargetCall[] {
  const { failed_attempts: failed, target, target_started_ms: startedMs, duration_ms: endedMs } = turn;
  const firstMs = failed[0]?.started_ms ?? startedMs ?? 0;
  const lastMs = Math.max(endedMs ?? 0, ...failed.map((call) => call.started_ms + call.duration_ms));
  const barOf = (fromMs: number | null, lengthMs: number | null): TargetCall["bar"] => {
    const wholeMs = lastMs - firstMs;
    if (fromMs === null || lengthMs === null || wholeMs <= 0) return null;
    return { from: (fromMs - firstMs) / wholeMs, length: lengthMs / wholeMs };
  };
  const before = failed.map((call) => ({
    target: call.target,
    startedMs: call.started_ms,
    durationMs: call.duration_ms,
    failure: call,
    requestId: call.provider_request_id,
    bar: barOf(call.started_ms, call.duration_ms),
  }));
  if (target === null) return before;
  const durationMs = startedMs === null || endedMs === null ? null : Math.max(0, endedMs - startedMs);
  const last = { target, startedMs, durationMs, failure: null, requestId: turn.provider_request_id };
  return [...before, { ...last, bar: barOf(startedMs, durationMs) }];
}
