// Erases now what was deleted long enough ago. @spec limits
import type { Desk } from "./desk.ts";

/** Rows erased in one transaction: turns wait no longer than that takes. */
const ERASED_AT_ONCE = 500;

/**
 * Erases the content of what was deleted at least that many days ago, and logs that it was asked for. `compactsAnySize`: a large file
 * too is written anew when it has to be, which holds up a running service's writes.
 */
export async function eraseAll(
  { store, by }: Pick<Desk, "store" | "by">,
  olderThanDays: number,
  { compactsAnySize }: { compactsAnySize: boolean },
): Promise<{ erased: number }> {
  let rows = 0;
  for (let more = true; more; ) {
    const round = await store.eraseDeleted({ olderThanDays, batch: ERASED_AT_ONCE, compactsAnySize });
    rows += round.erased;
    more = round.more;
  }
  await store.logErasure({ by, olderThanDays, rows });
  return { erased: rows };
}
