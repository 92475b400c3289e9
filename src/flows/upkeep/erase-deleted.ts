// Erases deleted content in batches; housekeeping.ts says when and how old. @spec limits
import type { Store } from "../../ports/store/store.ts";

/** Rows erased in one transaction, so that responses do not wait long for it. */
const BATCH = 500;

/** Bounds of one erasure. */
export interface Erasure {
  readonly olderThanDays: number;
  /** Whether the writes of a running service may be blocked for long to remove the last traces. */
  readonly mayBlockWrites: boolean;
  /** Checked before each batch; the rest waits for the next round. */
  isStopped(): boolean;
}

/** Erases content deleted at least `olderThanDays` ago; resolves with the number of rows. */
export async function eraseDeleted(
  store: Pick<Store, "eraseDeleted">,
  { olderThanDays, mayBlockWrites, isStopped }: Erasure,
): Promise<number> {
  let rows = 0;
  for (let more = true; more && !isStopped(); ) {
    const batch = await store.eraseDeleted({ olderThanDays, batch: BATCH, mayBlockWrites });
    rows += batch.erased;
    more = batch.more;
  }
  return rows;
}
