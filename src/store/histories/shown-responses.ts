// Rows of responses as their clients see them: content is read only if there is room for it.
import type { JsonText } from "../../core/history/item-list.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { SHORT_BYTES } from "../../ports/store/room.ts";
import { one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { RESPONSE_TABLES, responseColumns, type ResponseRow } from "./responses.ts";

/** What its client sees of a response, if its head is short. The provider's state is not shown. */
const short = (column: string) =>
  column === "r.provider_state"
    ? "cast(null as text)"
    : `case when octet_length(r.head) <= ${SHORT_BYTES} then ${column} end`;

const OWN = `
   where r.public_id = :responseId
     and r.organization_id = :organizationId
     and r.key_id = :keyId`;

type OwnQuery = { responseId: string } & Caller;

const selectOwnShortResponse = one<OwnQuery, ResponseRow>(`
  select ${responseColumns(short)} ${RESPONSE_TABLES} ${OWN}`);

const selectOwnSizedResponse = one<OwnQuery, SizedResponseRow>(`
  select ${responseColumns(() => "cast(null as text)")},
         coalesce(octet_length(r.head), 0) + coalesce(octet_length(r.ending), 0) as bytesToShow ${RESPONSE_TABLES} ${OWN}`);

/** A response's row without content. */
export interface SizedResponseRow extends ResponseRow {
  /** Bytes of what its client sees of the row. */
  readonly bytesToShow: number;
}

interface VisibleQuery {
  readonly caller: Caller;
  readonly responseId: string;
}

/** Like findVisibleResponse; head and ending are null when the head is long, and the provider's state always is. */
export function* findVisibleShortResponse(
  tx: Transaction,
  { caller, responseId }: VisibleQuery,
): Steps<ResponseRow | undefined> {
  return visible(yield* selectOwnShortResponse(tx, { ...caller, responseId }));
}

/** Like findVisibleResponse, without content and with its size. */
export function* findVisibleSizedResponse(
  tx: Transaction,
  { caller, responseId }: VisibleQuery,
): Steps<SizedResponseRow | undefined> {
  return visible(yield* selectOwnSizedResponse(tx, { ...caller, responseId }));
}

function visible<Row extends ResponseRow>(row: Row | undefined): Row | undefined {
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
