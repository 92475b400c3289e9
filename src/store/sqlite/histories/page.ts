// The rows of a page: as many items as were asked for, as far as there is room for them. An item is as long as a request's body may be.
import { LISTED_COLUMNS, type ListedRow } from "./codec.ts";
import type { Connection } from "../database/connection.ts";
import { many, one } from "../database/statement.ts";

/** Bodies in a page, bytes; an item that is longer by itself has a page of its own. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Bodies that are read with their rows, bytes: the largest page of them fits, longer ones are read one by one as there is room. */
const SHORT_BYTES_MAX = 32 * 1024;

/** Where a page begins, behind a position in its order, and how many items it may have. */
export interface PageQuery {
  readonly threadId: number;
  readonly order: "asc" | "desc";
  readonly position: number;
  readonly limit: number;
}

/** The live items of a page, at least one while there are any, and whether more follow. */
export function selectPage(
  connection: Connection,
  { order, limit, ...from }: PageQuery,
): { readonly items: readonly ListedRow[]; readonly hasMore: boolean } {
  const rows = (order === "asc" ? selectAfter : selectBefore)(connection, { ...from, limit: limit + 1 });
  const items: ListedRow[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    bytes += row.bytes ?? 0;
    if (bytes > PAGE_BYTES_MAX && items.length > 0) break;
    items.push(row.bytes !== null && row.bytes > SHORT_BYTES_MAX ? (selectWhole(connection, row) ?? row) : row);
  }
  return { items, hasMore: rows.length > items.length };
}

interface PageRow extends ListedRow {
  readonly id: number;
  /** Length of the body, null once erased; of a long one the rest is not there. */
  readonly bytes: number | null;
}

/** What stands behind a long body in its row is not looked at either: the whole body would be walked through. */
const PAGE_COLUMNS = `
         i.id,
         i.public_id          as publicId,
         octet_length(i.body) as bytes,
         case when octet_length(i.body) <= ${SHORT_BYTES_MAX} then i.body end          as body,
         case when octet_length(i.body) <= ${SHORT_BYTES_MAX} then i.body_checksum end as bodyChecksum`;

const selectAfter = many<{ threadId: number; position: number; limit: number }, PageRow>(`
  select ${PAGE_COLUMNS}
    from items i
   where i.thread_id = :threadId
     and i.position > :position
     and i.deleted_at_ms is null
   order by i.position
   limit +:limit`);

const selectBefore = many<{ threadId: number; position: number; limit: number }, PageRow>(`
  select ${PAGE_COLUMNS}
    from items i
   where i.thread_id = :threadId
     and i.position < :position
     and i.deleted_at_ms is null
   order by i.position desc
   limit +:limit`);

const selectWhole = one<{ id: number }, ListedRow>(`
  select ${LISTED_COLUMNS}
    from items i
   where i.id = :id`);
