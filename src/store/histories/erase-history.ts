// Erases what a deleted history contains: items, with their rows, and the content of its responses. @spec limits
import { change, one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { eraseWithin, isFull, type Piece, takeRows } from "./erasure-piece.ts";

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
 * running turns stay until the turns have settled.
 */
export function* eraseHistory(tx: Transaction, { id }: { id: number }, piece: Piece): Steps<Piece> {
  const withoutItems = yield* removeItemsOf(tx, { id }, piece);
  const left = yield* eraseResponsesOf(tx, { id }, withoutItems);
  if (isFull(left) || (yield* selectUnerasedOf(tx, { id })) !== undefined) return left;
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

/** Without it, erasure no longer looks for the history. */
const eraseMetadata = change<{ id: number }>(`
  update threads
     set metadata = null,
         retained = 0
   where id = :id`);
