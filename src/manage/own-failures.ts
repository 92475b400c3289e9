// The failed creates of a member's keys. The stored sums are those of whole organizations, so these are read from the log
// of turns and the rejected requests that are kept. docs/management.md (Failures)
import { HOUR_MS, HOUR_SECONDS } from "../base/time.ts";
import type { FailureGrouping } from "../contract/manage/failure-counts.ts";
import { REJECTIONS_KEPT_MAX, TURNS_READ_MAX } from "../contract/manage/limits.ts";
import type { FailureSum } from "../ports/store/failures.ts";
import type { OrganizationContext } from "./definition/context.ts";
import { ALL_TURNS } from "./turn-filter.ts";

/** One failure, with everything that it can be grouped by. */
type Failure = Omit<FailureSum, "failures">;

/**
 * The failed creates of a member's keys in hours since 1970, both inclusive. The walk through the log meets what failed in
 * the whole organization: `readFrom` says from where on it was complete (Unix seconds; null: it was).
 */
export async function readOwnFailures(
  { store, organization }: OrganizationContext,
  memberId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ readonly failures: readonly Failure[]; readonly readFrom: number | null }> {
  const organizationId = organization.id;
  const times = { from: from * HOUR_SECONDS, to: (to + 1) * HOUR_SECONDS };
  const filter = { ...ALL_TURNS, organizationId, memberId, status: "failed", ...times } as const;
  const page = { filter, from: null, limit: TURNS_READ_MAX, readsMax: TURNS_READ_MAX };
  const { responses, next } = await store.listResponses(page);
  const rejections = await store.listRejections({ organizationId, memberId, before: null, limit: REJECTIONS_KEPT_MAX });
  const failed = responses.map(({ createdAt, failureCode, model }): Failure => {
    return { hour: Math.floor(createdAt / HOUR_SECONDS), kind: "failed", code: failureCode, model, provider: null };
  });
  const rejected = rejections
    .filter(({ operation }) => operation === "createResponse")
    .map(({ atMs, code, model, provider }): Failure => {
      const kind = provider === null ? "rejected" : "withdrawn";
      return { hour: Math.floor(atMs / HOUR_MS), kind, code, model, provider };
    })
    .filter(({ hour }) => hour !== null && hour >= from && hour <= to);
  return { failures: [...failed, ...rejected], readFrom: next === null ? null : next.createdAt + 1 };
}

/** The sums of failures, in the order of those of an organization: of time, then the highest first. */
export function sumUp(failures: readonly Failure[], by: readonly FailureGrouping[]): readonly FailureSum[] {
  const sums = new Map<string, FailureSum>();
  for (const failure of failures) {
    const group: Failure = {
      hour: by.includes("hour") ? failure.hour : null,
      kind: by.includes("kind") ? failure.kind : null,
      code: by.includes("code") ? failure.code : null,
      model: by.includes("model") ? failure.model : null,
      provider: by.includes("provider") ? failure.provider : null,
    };
    const name = JSON.stringify(group);
    sums.set(name, { ...group, failures: (sums.get(name)?.failures ?? 0) + 1 });
  }
  return [...sums.values()].sort((a, b) => (a.hour ?? 0) - (b.hour ?? 0) || b.failures - a.failures);
}
