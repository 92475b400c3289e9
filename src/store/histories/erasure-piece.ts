// A piece of an erasure is one transaction. It is bounded in rows and in bytes, because SQLite overwrites what it
// deletes and other writes wait meanwhile. @spec limits
import { change, one } from "../engine/statement.ts";
import type { SqlValue, Steps, Transaction } from "../engine/transaction.ts";

/** Bytes of content that a piece erases; its last row may go beyond. 8 to 10 ms a MiB, measured with items of 1 MB. */
export const PIECE_BYTES = 4 * 1024 * 1024;

/** What a piece may still erase. */
export interface Piece {
  readonly rows: number;
  readonly bytes: number;
}

/** Whether a piece has no room left. */
export function isFull({ rows, bytes }: Piece): boolean {
  return rows <= 0 || bytes <= 0;
}

/** The piece after that many rows without content. */
export function takeRows(piece: Piece, rows: number): Piece {
  return { ...piece, rows: piece.rows - rows };
}

interface Bounds {
  readonly limit: number;
  readonly bytes: number;
}

/**
 * Defines an erasure: `sized` selects `id` and `bytes` of what there is to erase, and `erase` is a statement without
 * its `where`. The result erases what the piece has room for, and returns what is left of the piece.
 */
export function eraseWithin<Values extends { readonly [Name in keyof Values]: SqlValue }>(
  sized: string,
  erase: string,
) {
  // Sizes are added up before any text is read.
  const fitting = `
      from (select id,
                   bytes,
                   sum(bytes) over (order by id) - bytes as before
              from (${sized} limit +:limit) sized) w
     where w.before < :bytes`;
  const measure = one<Values & Bounds, { rows: number; bytes: number }>(`
    select count(*) as rows, cast(coalesce(sum(w.bytes), 0) as integer) as bytes
    ${fitting}`);
  const apply = change<Values & Bounds>(`${erase}
   where id in (select w.id ${fitting})`);
  return function* (tx: Transaction, values: Values, piece: Piece): Steps<Piece> {
    if (isFull(piece)) return piece;
    const parameters = { ...values, limit: piece.rows, bytes: piece.bytes };
    const found = yield* measure(tx, parameters);
    if (found === undefined || found.rows === 0) return piece;
    const { changes } = yield* apply(tx, parameters);
    return { rows: piece.rows - changes, bytes: piece.bytes - found.bytes };
  };
}
