// Erases deleted content in batches. @spec limits
import type { Store } from "../ports/store.ts";

/** Rows erased in one transaction: turns must not wait long behind it. */
const BATCH = 500;

/** How far erasure goes. */
export interface Erasure {
  readonly olderThanDays: number;
  /** Whether a large file too is written anew when it has to be, which holds up a running service's writes. */
  readonly compactsAnySize: boolean;
  /** Asked before each batch; the rest waits for another time. */
  isStopped(): boolean;
}

/** Erases the content of what was deleted at least that many days ago; resolves with the number of rows. */
export async function eraseDeleted(
  store: Pick<Store, "eraseDeleted">,
  { olderThanDays, compactsAnySize, isStopped }: Erasure,
): Promise<number> {
  let rows = 0;
  for (let more = true; more && !isStopped(); ) {
    const batch = await store.eraseDeleted({ olderThanDays, batch: BATCH, compactsAnySize });
    rows += batch.erased;
    more = batch.more;
  }
  return rows;
}
