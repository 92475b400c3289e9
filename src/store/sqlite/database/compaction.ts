// What erasure does to the file after its commit, so that no byte of what was erased is left in it.
//
// SQLite overwrites what it deletes, but when it divides or joins pages it moves rows, and a copy may stay behind in the unused part
// of a page until something else needs the room. Writing the whole file anew leaves nothing of the kind.
import { emptyJournal } from "./empty-journal.ts";
import type { Connection } from "./connection.ts";

/** A file up to this size is written anew after an erasure: the writes of half a second wait for it. A larger one is left to `turngate erase`. */
const COMPACTED_BYTES_MAX = 64 * 1024 * 1024;

/** Connections that have erased something since the file was last written anew. */
const uncompacted = new WeakSet<Connection>();

/** Ends a batch of erasure: the last one of a sweep writes the file anew, each empties the journal. */
export async function finishErasure(
  connection: Connection,
  { hasErased, isLast, compactsAnySize }: { hasErased: boolean; isLast: boolean; compactsAnySize: boolean },
): Promise<void> {
  if (hasErased) uncompacted.add(connection);
  const isDue = isLast && (compactsAnySize || uncompacted.has(connection));
  if (isDue && (compactsAnySize || fileBytes(connection) <= COMPACTED_BYTES_MAX)) {
    connection.database.exec("vacuum");
    uncompacted.delete(connection);
  }
  await emptyJournal(connection);
}

function fileBytes({ database }: Connection): number {
  const row = database.prepare("select page_count * page_size as bytes from pragma_page_count, pragma_page_size").get();
  return Number(row?.["bytes"]);
}
