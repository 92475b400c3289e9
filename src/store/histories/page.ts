// Selects the rows of a page: up to the limit of items and of bytes. A single item may be as long as a request's body.
import { LISTED_BODY, LISTED_COLUMNS, type ListedRow } from "./item-codec.ts";
import type { NeedsRoom } from "../../ports/store/room.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { many } from "../engine/statement.ts";

/** Bytes of bodies in a page; a longer item gets a page of its own. docs/wire.md (Objects) */
const PAGE_BYTES_MAX = 2 * 1024 * 1024;

/** Where a page begins (after a position, in its order), and how many items and bytes it may have. */
interface PageQuery {
  readonly threadId: number;
  readonly order: "asc" | "desc";
  readonly position: number;
  readonly limit: number;
  readonly room: number;
}

interface Page {
  readonly kind: "page";
  readonly items: readonly ListedRow[];
  readonly hasMore: boolean;
}

/** The live items of a page, at least one if any exist, and whether more follow. */
export function* selectPage(
  tx: Transaction,
  { order, limit, threadId, position, room }: PageQuery,
): Steps<Page | NeedsRoom> {
  // All bodies of a page have room if each is as short as that: they are read at once.
  const shortMax = Math.floor(Math.min(PAGE_BYTES_MAX, room) / limit);
  // One more than the page, to know whether there are more.
  const rows = yield* SELECT[order](tx, { threadId, position, shortMax, limit: limit + 1 });
  let bytes = 0;
  let count = 0;
  for (const row of rows.slice(0, limit)) {
    const more = bytes + (row.bytes ?? 0);
    if (more > PAGE_BYTES_MAX && count > 0) break;
    bytes = more;
    count++;
  }
  if (bytes > room) return { kind: "needs_room", bytes };
  const items = yield* withLongBodies(tx, { threadId, items: rows.slice(0, count), shortMax });
  return { kind: "page", items, hasMore: rows.length > count };
}

/** Rows of a page with all their bodies. */
function* withLongBodies(
  tx: Transaction,
  { threadId, items, shortMax }: { threadId: number; items: readonly PageRow[]; shortMax: number },
): Steps<readonly ListedRow[]> {
  const places = items.filter(({ bytes }) => bytes !== null && bytes > shortMax).map((row) => row.position);
  if (places.length === 0) return items;
  const range = { first: Math.min(...places), last: Math.max(...places) };
  const long = yield* selectLong(tx, { threadId, ...range, shortMax });
  const bodies = new Map(long.map((row) => [row.publicId, row]));
  return items.map((row) => bodies.get(row.publicId) ?? row);
}

interface PageRow extends ListedRow {
  readonly position: number;
  /** Length of the body, null once erased; a long body is not in the row. */
  readonly bytes: number | null;
}

/** Columns stored after a long body are not read either: SQLite would walk through the whole body. */
const PAGE_COLUMNS = `
         i.public_id          as publicId,
         i.position           as position,
         octet_length(i.body) as bytes,
         case when octet_length(i.body) <= :shortMax then ${LISTED_BODY} end  as body,
         case when octet_length(i.body) <= :shortMax then i.body_checksum end as bodyChecksum`;

const pageOf = (comparison: string, order: PageQuery["order"]) =>
  many<{ threadId: number; position: number; limit: number; shortMax: number }, PageRow>(`
  select ${PAGE_COLUMNS}
    from items i
   where i.thread_id = :threadId
     and i.position ${comparison} :position
     and i.deleted_at_ms is null
   order by i.position ${order}
   limit +:limit`);

const SELECT = { asc: pageOf(">", "asc"), desc: pageOf("<", "desc") } as const;

const selectLong = many<{ threadId: number; first: number; last: number; shortMax: number }, ListedRow>(`
  select ${LISTED_COLUMNS}
    from items i
   where i.thread_id = :threadId
     and i.position between :first and :last
     and i.deleted_at_ms is null
     and octet_length(i.body) > :shortMax`);
