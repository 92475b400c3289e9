// Erases what a deleted history contains: items, with their rows, and the content of its responses. @spec limits
import { change, one, write } from "../engine/statement.ts";
import type { Steps, Transaction, SqlValue } from "../engine/transaction.ts";

/** The bytes of a response's content. */
export const RESPONSE_BYTES =
  "coalesce(octet_length(head), 0) + coalesce(octet_length(ending), 0) + coalesce(octet_length(provider_state), 0)";

/** Erases a response's content; its billing record stays. */
export const ERASE_RESPONSES = `
  update responses
     set head           = null,
         ending         = null,
         provider_state = null,
         end_user       = null,
         label          = null`;

/**
 * Erases as much of the history with that root, and of its branches, as the piece has room for; returns what is left of
 * the piece. The history's positions and sizes are never read again, so the rows of its items are deleted. The heads of
 * running responses stay until the responses have settled.
 */
export function* eraseHistory(tx: Transaction, { id }: { id: number }, piece: Piece): Steps<Piece> {
  const withoutItems = yield* removeItemsOf(tx, { id }, piece);
  const left = yield* eraseResponsesOf(tx, { id }, withoutItems);
  if (isFull(left) || (yield* selectUnerasedOf(tx, { id })) !== undefined) return left;
  yield* eraseSums(tx, { id });
  return takeRows(left, (yield* eraseMetadata(tx, { id })).changes);
}

/** The thread of a root and its branches. */
const THREADS_OF = "select id from threads where id = :id union all select id from threads where root_id = :id";

const removeItemsOf = eraseWithin<{ id: number }>(
  `select id, coalesce(octet_length(body), 0) as bytes
     from items
    where thread_id in (${THREADS_OF})`,
  "delete from items",
);

const eraseResponsesOf = eraseWithin<{ id: number }>(
  `select id, ${RESPONSE_BYTES} as bytes
     from responses
    where thread_id in (${THREADS_OF})
      and head is not null
      and completed_at is not null`,
  ERASE_RESPONSES,
);

const selectUnerasedOf = one<{ id: number }, { id: number }>(`
  select id
    from responses
   where thread_id in (${THREADS_OF})
     and head is not null
   limit 1`);

const eraseSums = write<{ id: number }>(`
  delete from deleted_sums
   where thread_id in (${THREADS_OF})`);

/** Without it, erasure no longer looks for the history. */
const eraseMetadata = change<{ id: number }>(`
  update threads
     set metadata = null,
         retained = 0
   where id = :id`);

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
