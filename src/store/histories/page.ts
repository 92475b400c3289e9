// Selects the rows of a page: up to the limit of items and of bytes. A single item may be as long as a request's body.
import { LISTED_COLUMNS, type ListedRow } from "./item-codec.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { many, one } from "../engine/statement.ts";

/** Bytes of bodies in a page; a longer item gets a page of its own. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
/**
 * Bytes of a body that is read with its row. The largest page of such bodies fits; longer ones are read one by one
 * while there is room.
 */
const SHORT_BYTES_MAX = 32 * 1024;

/** Where a page begins (after a position, in its order) and how many items it may have. */
interface PageQuery {
  readonly threadId: number;
  readonly order: "asc" | "desc";
  readonly position: number;
  readonly limit: number;
}

/** The live items of a page, at least one if any exist, and whether more follow. */
export function* selectPage(
  tx: Transaction,
  { order, limit, ...from }: PageQuery,
): Steps<{ readonly items: readonly ListedRow[]; readonly hasMore: boolean }> {
  // One more than the page, to know whether there are more.
  const rows = yield* SELECT[order](tx, { ...from, limit: limit + 1 });
  const items: ListedRow[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    bytes += row.bytes ?? 0;
    if (bytes > PAGE_BYTES_MAX && items.length > 0) break;
    items.push(row.bytes !== null && row.bytes > SHORT_BYTES_MAX ? ((yield* selectWhole(tx, row)) ?? row) : row);
  }
  return { items, hasMore: rows.length > items.length };
}

interface PageRow extends ListedRow {
  readonly id: number;
  /** Length of the body, null once erased; a long body is not in the row. */
  readonly bytes: number | null;
}

/** Columns stored after a long body are not read either: SQLite would walk through the whole body. */
const PAGE_COLUMNS = `
         i.id,
         i.public_id          as publicId,
         octet_length(i.body) as bytes,
         case when octet_length(i.body) <= ${SHORT_BYTES_MAX} then i.body end          as body,
         case when octet_length(i.body) <= ${SHORT_BYTES_MAX} then i.body_checksum end as bodyChecksum`;

const pageOf = (comparison: string, order: PageQuery["order"]) =>
  many<Omit<PageQuery, "order">, PageRow>(`
  select ${PAGE_COLUMNS}
    from items i
   where i.thread_id = :threadId
     and i.position ${comparison} :position
     and i.deleted_at_ms is null
   order by i.position ${order}
   limit +:limit`);

const SELECT = { asc: pageOf(">", "asc"), desc: pageOf("<", "desc") } as const;

const selectWhole = one<{ id: number }, ListedRow>(`
  select ${LISTED_COLUMNS}
    from items i
   where i.id = :id`);
