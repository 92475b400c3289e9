// Histories and responses as an export of an organization's data reads them.
import type {
  ExportedHistory,
  ExportedItem,
  ExportedResponse,
  ExportStore,
  ResponseCursor,
} from "../../ports/store/exports.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { many } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { RESPONSE_BYTES } from "./erase-history.ts";

type HistoryQuery = Parameters<ExportStore["exportHistories"]>[0];
type ItemQuery = Parameters<ExportStore["exportItems"]>[0];
type ResponseQuery = Parameters<ExportStore["exportResponses"]>[0];

/** ExportStore.exportHistories. */
export const exportHistories = plainProcedure(
  "aside",
  function* (
    tx,
    { organizationId, rootId, after, limit }: HistoryQuery,
  ): Steps<{ histories: readonly ExportedHistory[]; next: number | null }> {
    const page = { organizationId, after, limit };
    const rows = rootId === null ? yield* selectRoots(tx, page) : yield* selectBranches(tx, { ...page, rootId });
    const histories = rows.map(({ branch = null, ...history }) => ({ ...history, hasBranches: branch !== null }));
    return { histories, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  },
);

/** ExportStore.exportItems. */
export const exportItems = plainProcedure("aside", (tx, query: ItemQuery) => selectItems(tx, query));

/** ExportStore.exportResponses. */
export const exportResponses = plainProcedure(
  "aside",
  function* (
    tx,
    { organizationId, after, limit, bytes }: ResponseQuery,
  ): Steps<{ responses: readonly ExportedResponse[]; next: ResponseCursor | null }> {
    const rows = yield* selectResponses(tx, { organizationId, ...after, limit, bytes });
    const responses: ExportedResponse[] = [];
    for (const { rowId: _, charged, ...response } of rows) {
      const unlisted = response.head === null ? [] : yield* selectUnlisted(tx, { responseId: response.id });
      responses.push({
        ...response,
        chargedNano: charged === null ? null : BigInt(charged),
        unlisted: unlisted.map(({ body }) => body),
      });
    }
    const last = rows.at(-1);
    return { responses, next: last === undefined ? null : { createdAt: last.createdAt, rowId: last.rowId } };
  },
);

const HISTORY_COLUMNS = `
         id,
         public_id  as conversationId,
         key_id     as keyId,
         created_at as createdAt,
         lineage    as continues,
         metadata,
         head_position as lastPosition`;

type HistoryRow = Omit<ExportedHistory, "hasBranches"> & { readonly branch?: number | null };

const selectRoots = many<Omit<HistoryQuery, "rootId">, HistoryRow>(`
  select ${HISTORY_COLUMNS},
         (select min(b.id) from threads b where b.root_id = threads.id) as branch
    from threads
   where organization_id = :organizationId
     and root_id is null
     and retained = 1
     and deleted_at_ms is null
     and id > :after
   order by id
   limit +:limit`);

/** The organization is an expression here, so that the database takes the index of the branches. */
const selectBranches = many<HistoryQuery & { rootId: number }, HistoryRow>(`
  select ${HISTORY_COLUMNS}
    from threads
   where root_id = :rootId
     and organization_id || '' = :organizationId
     and id > :after
   order by id
   limit +:limit`);

/** Sizes are added up before any text is read: a single item may be as long as a request's body. */
const selectItems = many<ItemQuery, ExportedItem>(`
  select i.position,
         i.response_id as responseId,
         i.body
    from (select sized.id,
                 sum(sized.bytes) over (order by sized.position) - sized.bytes as before
            from (select items.id,
                         items.position,
                         octet_length(items.body) as bytes
                    from items
                    join threads t on t.id = items.thread_id
                   where items.thread_id = :historyId
                     and t.organization_id = :organizationId
                     and items.position > :after
                     and items.deleted_at_ms is null
                   order by items.position
                   limit +:limit) sized) w
    join items i on i.id = w.id
   where w.before <= :bytes
   order by i.position`);

type ResponseRow = Omit<ExportedResponse, "chargedNano" | "unlisted"> & {
  readonly rowId: number;
  readonly charged: string | null;
};

/** A text of a response; null if the response, or its history, is deleted. */
function unlessDeleted(column: string): string {
  return `case when r.deleted_at_ms is null and coalesce(root.deleted_at_ms, t.deleted_at_ms) is null then ${column} end`;
}

const selectResponses = many<
  { organizationId: string; createdAt: number; rowId: number; limit: number; bytes: number },
  ResponseRow
>(`
  select r.public_id             as id,
         r.id                    as rowId,
         r.thread_id             as historyId,
         r.key_id                as keyId,
         r.member_id             as memberId,
         r.model,
         r.status,
         r.previous_response_id  as previousResponseId,
         r.created_at            as createdAt,
         r.completed_at          as completedAt,
         r.deleted_at_ms         as deletedAtMs,
         r.input_tokens          as inputTokens,
         r.output_tokens         as outputTokens,
         r.total_tokens          as totalTokens,
         cast(r.charged_nano as text) as charged,
         ${unlessDeleted("r.end_user")} as endUser,
         ${unlessDeleted("r.label")} as label,
         ${unlessDeleted("r.head")} as head,
         ${unlessDeleted("r.ending")} as ending,
         ${unlessDeleted("r.provider_state")} as providerState
    from (select sized.id,
                 sized.created_at,
                 sum(sized.bytes) over (order by sized.created_at, sized.id) - sized.bytes as before
            from (select id,
                         created_at,
                         ${RESPONSE_BYTES} as bytes
                    from responses
                   where organization_id = :organizationId
                     and (created_at, id) > (:createdAt, :rowId)
                   order by created_at, id
                   limit +:limit) sized) w
    join responses r on r.id = w.id
    join threads t on t.id = r.thread_id
    left join threads root on root.id = t.root_id
   where w.before <= :bytes
   order by w.created_at, w.id`);

const selectUnlisted = many<{ responseId: string }, { readonly body: string }>(`
  select body
    from items
   where response_id = :responseId
     and position is null
     and body is not null
   order by ordinal`);
