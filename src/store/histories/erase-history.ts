// Erases what a deleted history contains: items, with their rows, and the content of its responses. @spec limits
import { change, one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";

/**
 * Erases up to `limit` rows of the history with that root, and of its branches; returns their number. Its positions and sizes
 * are never read again, so the rows of its items are deleted. The heads of running turns stay until the turns have settled.
 */
export function* eraseHistory(tx: Transaction, { id, limit }: { id: number; limit: number }): Steps<number> {
  let left = limit;
  left -= (yield* removeItemsOf(tx, { id, limit: left })).changes;
  // SQLite takes a negative limit for none, but the count never exceeds what was left.
  left -= (yield* eraseResponsesOf(tx, { id, limit: left })).changes;
  if (left > 0 && (yield* selectUnerasedOf(tx, { id })) === undefined)
    left -= (yield* eraseMetadata(tx, { id })).changes;
  return limit - left;
}

/** The thread of a root and its branches. */
const THREADS_OF = "select id from threads where id = :id union all select id from threads where root_id = :id";

const removeItemsOf = change<{ id: number; limit: number }>(`
  delete from items
   where id in (select id from items where thread_id in (${THREADS_OF}) limit +:limit)`);

const eraseResponsesOf = change<{ id: number; limit: number }>(`
  update responses
     set head           = null,
         ending         = null,
         provider_state = null
   where id in (select id
                  from responses
                 where thread_id in (${THREADS_OF})
                   and head is not null
                   and completed_at is not null
                 limit +:limit)`);

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
