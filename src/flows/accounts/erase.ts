// Erases deleted content on demand. @spec limits
import { eraseDeleted } from "../upkeep/erase-deleted.ts";
import type { AdminContext } from "./admin-context.ts";

/**
 * Erases the content of everything deleted at least `olderThanDays` ago and adds an entry to the audit log.
 * `mayBlockWrites`: the writes of a running service may be blocked for long to remove the last traces.
 */
export async function eraseAll(
  { store, by }: Pick<AdminContext, "store" | "by">,
  olderThanDays: number,
  { mayBlockWrites }: { mayBlockWrites: boolean },
): Promise<{ erased: number }> {
  const rows = await eraseDeleted(store, { olderThanDays, mayBlockWrites, isStopped: () => false });
  await store.logErasure({ by, olderThanDays, rows });
  return { erased: rows };
}
