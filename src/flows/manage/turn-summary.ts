// How the turns of the last hour went: how many, how fast, and which failed.
import type { FailureCode } from "../../contract/failures.ts";
import { TURN_SUMMARY_MINUTES, TURN_SUMMARY_READ_MAX } from "../../contract/manage/limits.ts";
import { secondsOf } from "../../ports/clock.ts";
import type { LoggedTurn, TurnLogStore } from "../../ports/store/turn-log.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
import { readableMember } from "./principal.ts";

const OF_ANY_SUBJECT = { conversationId: null, endUser: null, label: null };

/**
 * The turns that began in the last hour: of the whole organization for owners, admins and the operator, of their own
 * keys for members, none for programs with that role.
 */
export async function showTurnSummary({ services, principal, organization }: OrganizationRequest) {
  const memberId = readableMember(principal);
  const nowMs = services.clock.nowMs();
  if (memberId === undefined) return summarize([], { ...windowAt(nowMs), hasMore: false });
  return readTurnSummary(services.store, { organizationId: organization.id, memberId, nowMs });
}

/**
 * The summary of an organization, or (with a member) of that member's keys. Reads a limited number of the newest turns.
 */
export async function readTurnSummary(
  store: Pick<TurnLogStore, "listTurns">,
  { organizationId, memberId, nowMs }: { organizationId: string; memberId: string | null; nowMs: number },
) {
  const { from, to, until } = windowAt(nowMs);
  const any = { keyId: null, model: null, status: null, failureCode: null, ...OF_ANY_SUBJECT };
  const { turns, next } = await store.listTurns({
    filter: { ...any, organizationId, memberId, from, to },
    from: null,
    limit: TURN_SUMMARY_READ_MAX,
    readsMax: TURN_SUMMARY_READ_MAX,
  });
  const hasMore = next !== null;
  return summarize(turns, { from: hasMore ? (turns.at(-1)?.createdAt ?? from) : from, to, until, hasMore });
}

/**
 * The hour that ends with the present minute: whole minutes, as the filters of the app. `until`: the part that has
 * passed.
 */
function windowAt(nowMs: number) {
  const to = (Math.floor(nowMs / 60_000) + 1) * 60;
  return { from: to - TURN_SUMMARY_MINUTES * 60, to, until: secondsOf(nowMs) + 1 };
}

/** The figures of the turns that began between two times. */
export function summarize(
  turns: readonly Pick<LoggedTurn, "failureCode" | "firstOutputMs" | "durationMs">[],
  { from, to, until, hasMore }: { from: number; to: number; until: number; hasMore: boolean },
) {
  const failures = new Map<FailureCode, number>();
  for (const { failureCode } of turns) {
    if (failureCode !== null) failures.set(failureCode, (failures.get(failureCode) ?? 0) + 1);
  }
  return {
    from,
    to,
    turns: turns.length,
    has_more: hasMore,
    turns_per_minute: Math.round((turns.length / ((until - from) / 60)) * 100) / 100,
    failures: [...failures]
      .map(([code, count]) => ({ code, turns: count }))
      .toSorted((a, b) => b.turns - a.turns || (a.code < b.code ? -1 : 1)),
    first_output_ms: percentilesOf(turns.map(({ firstOutputMs }) => firstOutputMs)),
    duration_ms: percentilesOf(turns.map(({ durationMs }) => durationMs)),
  };
}

/** The nearest-rank percentiles of the values that are known; null: none is. */
function percentilesOf(values: readonly (number | null)[]) {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  const [p50, p95] = [0.5, 0.95].map((share) => sorted[Math.ceil(sorted.length * share) - 1]);
  return p50 === undefined || p95 === undefined ? null : { p50, p95 };
}
