// Rows of responses as their clients see them: content is read only if there is room for it.
import type { JsonText } from "../../core/history/item-list.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { RESPONSE_TABLES, responseColumns, type ResponseRow } from "./responses.ts";

const BYTES_TO_SHOW = "coalesce(octet_length(r.head), 0) + coalesce(octet_length(r.ending), 0)";
const shownWithin = (column: string) =>
  column === "r.provider_state" ? "cast(null as text)" : `case when ${BYTES_TO_SHOW} <= :room then ${column} end`;

/** The caller's response with that id; what its client sees only if that has no more bytes than there is room for. */
const selectOwnShortResponse = one<
  { responseId: string; organizationId: string; keyId: string; room: number },
  ShortResponseRow
>(`
  select ${responseColumns(shownWithin)},
         ${BYTES_TO_SHOW} as bytesToShow ${RESPONSE_TABLES}
   where r.public_id = :responseId
     and r.organization_id = :organizationId
     and r.key_id = :keyId`);

/** A response's row without content that is longer than a room. */
export interface ShortResponseRow extends ResponseRow {
  /** Bytes of what its client sees of the row. */
  readonly bytesToShow: number;
}

/** Like findVisibleResponse; content of more bytes than `room` is null, and so is the provider's state. */
export function* findVisibleShortResponse(
  tx: Transaction,
  query: { caller: Caller; responseId: string; room: number },
): Steps<ShortResponseRow | undefined> {
  const { caller, responseId, room } = query;
  const row = yield* selectOwnShortResponse(tx, { ...caller, responseId, room });
  return row === undefined || row.rootDeletedAtMs !== null || row.deletedAtMs !== null ? undefined : row;
}

/** The long content of a response. */
export const selectLongContent = one<
  { id: number },
  { readonly head: JsonText | null; readonly ending: string | null }
>(`
  select cast(r.head as blob) as head,
         r.ending             as ending
    from responses r
   where r.id = :id`);
