// Rows that many calls of one commit change, such as a balance: each is read once, changed in memory, and written
// once before the commit. See docs/decisions/performance.md
import type { Transaction } from "./transaction.ts";

let slots = 0;

/**
 * A kind of buffered rows: those of a transaction by their key. Empty at first and again after each commit or rollback.
 * On a connection that cannot write, nothing is kept.
 */
export type RowBuffer<Row> = (tx: Transaction) => Map<string, Row>;

/** Creates a kind of buffered rows. */
export function rowBuffer<Row>(): RowBuffer<Row> {
  const slot = slots++;
  return ({ buffers }) => {
    if (buffers === null) return new Map();
    return (buffers[slot] ??= new Map<string, unknown>()) as Map<string, Row>;
  };
}

/** Forgets what is buffered: after a commit, and together with everything that a transaction has rolled back. */
export function clearBuffers({ buffers }: Pick<Transaction, "buffers">): void {
  for (const rows of buffers ?? []) rows?.clear();
}
