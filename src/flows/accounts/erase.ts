// Erases now what was deleted long enough ago. @spec limits
import { eraseDeleted } from "../erase-deleted.ts";
import type { Desk } from "./desk.ts";

/**
 * Erases the content of what was deleted at least that many days ago, and logs that it was asked for. `compactsAnySize`: a large file
 * too is written anew when it has to be, which holds up a running service's writes.
 */
export async function eraseAll(
  { store, by }: Pick<Desk, "store" | "by">,
  olderThanDays: number,
  { compactsAnySize }: { compactsAnySize: boolean },
): Promise<{ erased: number }> {
  const rows = await eraseDeleted(store, { olderThanDays, compactsAnySize, isStopped: () => false });
  await store.logErasure({ by, olderThanDays, rows });
  return { erased: rows };
}
