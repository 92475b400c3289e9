// Deletes histories whose retention is over, in pieces.
import { effectiveRetention } from "../../core/history/retention.ts";
import type { Store } from "../../ports/store/store.ts";

/** Histories that one transaction looks at, so that turns do not wait long for it. */
const HISTORIES_AT_ONCE = 200;

/**
 * Deletes the histories that were used last longer ago than their organization keeps them; yields the number of each
 * organization that had any. Their content is for the next erasure. `serviceDays` is the longest that the
 * service keeps any; null: for ever. `isStopped` is asked before each piece; the rest waits for the next round.
 */
export async function* expireHistories(
  store: Pick<Store, "listOrganizations" | "expireHistories">,
  { serviceDays, isStopped }: { serviceDays: number | null; isStopped(): boolean },
): AsyncGenerator<{ organizationId: string; histories: number }> {
  for (const { id: organizationId, retentionDays } of await store.listOrganizations()) {
    const olderThanDays = effectiveRetention(retentionDays, serviceDays);
    if (olderThanDays === null) continue;
    let histories = 0;
    for (let after: number | null = 0; after !== null && !isStopped(); ) {
      const piece = await store.expireHistories({ organizationId, olderThanDays, after, limit: HISTORIES_AT_ONCE });
      histories += piece.expired;
      after = piece.next;
    }
    if (histories > 0) yield { organizationId, histories };
  }
}
