// The rate of an organization's changes: the audit log and the feed of events keep each of them.
import { ApiError } from "../../contract/errors.ts";
import { CHANGES_PER_MINUTE } from "../../contract/manage/limits.ts";
import { type Allowance, drawAllowance } from "../../core/access/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

/** Counts a change by an organization's people and tokens. Throws 429 `rate_limit_exceeded` above its limit. */
export type DrawChange = (organizationId: string) => void;

/** Creates the allowances of this process. */
export function createChanges(clock: Pick<Clock, "monotonicMs">): DrawChange {
  const allowances = new Map<string, Allowance>();
  return (organizationId) => {
    const before = allowances.get(organizationId);
    const { allowance, isGranted, retryAfterMs } = drawAllowance(before, CHANGES_PER_MINUTE, clock.monotonicMs());
    allowances.set(organizationId, allowance);
    if (isGranted) return;
    const message = `Your organization changes too much: at most ${CHANGES_PER_MINUTE} changes a minute. Try again later.`;
    throw new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) });
  };
}
