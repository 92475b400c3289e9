// Rows of threads, and the views of their histories.
import { HOUR_MS } from "../../base/time.ts";
import type { ConversationRecord } from "../../ports/store/conversations.ts";
import type { Caller, Segment, View } from "../../ports/store/histories.ts";
import { parseStored } from "../engine/stored-json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { insert, lock, one, write } from "../engine/statement.ts";

/** The end of a thread: its last position (in `head_position`) and its running totals. */
export interface ThreadEnd {
  readonly endPosition: number;
  readonly sizeTotal: number;
  readonly turnsTotal: number;
}

/** A thread's row as procedures need it. */
export interface ThreadRow extends ThreadEnd {
  readonly id: number;
  readonly publicId: string | null;
  readonly organizationId: string;
  readonly keyId: string;
  readonly rootId: number | null;
  readonly lineage: string;
  readonly latestResponse: number | null;
  /** What is known of the responses that none has continued (open-ends.ts). */
  readonly openEnds: string | null;
  readonly createdAt: number;
  readonly metadata: string | null;
  /** When its history was used last, to the hour. */
  readonly usedAtMs: number;
  /** When its root was deleted, which deletes every branch. */
  readonly deletedAtMs: number | null;
}

/** Selects a ThreadRow. */
const SELECT_THREAD = `
  select
         t.id,
         t.public_id                                  as publicId,
         t.organization_id                            as organizationId,
         t.key_id                                     as keyId,
         t.root_id                                    as rootId,
         t.lineage,
         t.head_position                              as endPosition,
         t.size_total                                 as sizeTotal,
         t.turns_total                                as turnsTotal,
         t.latest_response                            as latestResponse,
         t.open_ends                                  as openEnds,
         t.created_at                                 as createdAt,
         t.metadata,
         coalesce(root.used_at_ms, t.used_at_ms)      as usedAtMs,
         coalesce(root.deleted_at_ms, t.deleted_at_ms) as deletedAtMs
    from threads t
    left join threads root on root.id = t.root_id`;

/** A thread by its rowid. */
export const selectThread = one<{ id: number }, ThreadRow>(`${SELECT_THREAD}
   where t.id = :id`);

/** Lets no other transaction append to a thread or continue it. */
export const lockThread = lock<{ id: number }>(`
  select id from threads where id = :id`);

/** Locks a thread by the id of the caller's conversation. */
const lockOwnConversation = lock<{ conversationId: string; organizationId: string; keyId: string }>(`
  select id
    from threads
   where public_id = :conversationId
     and organization_id = :organizationId
     and key_id = :keyId`);

const selectConversation = one<
  { conversationId: string; organizationId: string; keyId: string },
  ThreadRow
>(`${SELECT_THREAD}
   where t.public_id = :conversationId
     and t.organization_id = :organizationId
     and t.key_id = :keyId`);

/** A conversation by its public id, as its caller may see it. */
export interface ConversationQuery {
  readonly caller: Caller;
  readonly conversationId: string;
}

/** The caller's conversation with that id, deleted or not. */
export function* findOwnConversation(
  tx: Transaction,
  { caller, conversationId }: ConversationQuery,
): Steps<ThreadRow | undefined> {
  return yield* selectConversation(tx, { ...caller, conversationId });
}

/** The caller's conversation with that id unless it is deleted; undefined for every cause of the uniform 404. */
export function* findVisibleConversation(tx: Transaction, query: ConversationQuery): Steps<ThreadRow | undefined> {
  const thread = yield* findOwnConversation(tx, query);
  return thread === undefined || thread.deletedAtMs !== null ? undefined : thread;
}

/** findVisibleConversation for a transaction that changes the conversation: no other one changes it meanwhile. */
export function* lockVisibleConversation(tx: Transaction, query: ConversationQuery): Steps<ThreadRow | undefined> {
  yield* lockOwnConversation(tx, { ...query.caller, conversationId: query.conversationId });
  return yield* findVisibleConversation(tx, query);
}

const insertThread = insert<{
  publicId: string | null;
  organizationId: string;
  keyId: string;
  rootId: number | null;
  lineage: string;
  createdAt: number;
  usedAtMs: number;
  metadata: string | null;
}>(`
  insert into threads (public_id, organization_id, key_id, root_id, lineage, created_at, used_at_ms, metadata)
  values (:publicId, :organizationId, :keyId, :rootId, :lineage, :createdAt, :usedAtMs, :metadata)`);

/** Stores an empty thread, a private one without a parent by default; returns where items are appended to it. */
export function* addThread(
  tx: Transaction,
  { organizationId, keyId }: Caller,
  thread: { createdAt: number; publicId?: string; metadata?: string; rootId?: number; lineage?: string },
  nowMs: number,
): Steps<ThreadEnd & { readonly id: number }> {
  const { createdAt, publicId = null, metadata = null, rootId = null, lineage = "[]" } = thread;
  const columns = { publicId, organizationId, keyId, rootId, lineage, createdAt, usedAtMs: nowMs, metadata };
  const { id } = yield* insertThread(tx, columns);
  return { id, endPosition: 0, sizeTotal: 0, turnsTotal: 0 };
}

/** Stores an empty conversation; returns where items are appended to it. */
export function addConversation(tx: Transaction, caller: Caller, conversation: ConversationRecord, nowMs: number) {
  const { id: publicId, createdAt, metadata } = conversation;
  return addThread(tx, caller, { publicId, createdAt, metadata: JSON.stringify(metadata) }, nowMs);
}

/** Stores a private thread that continues where a view of another one ends; returns where items are appended to it. */
export function addBranch(
  tx: Transaction,
  caller: Caller,
  branch: { from: Pick<ThreadRow, "id" | "rootId">; segments: readonly Segment[]; createdAt: number },
  nowMs: number,
) {
  const { from, segments, createdAt } = branch;
  return addThread(tx, caller, { rootId: from.rootId ?? from.id, lineage: encodeLineage(segments), createdAt }, nowMs);
}

/** Stores a thread's new end after items were appended, the response that entered it, and its open ends; null: none did. */
export const updateThreadEnd = write<
  ThreadEnd & { id: number; latestResponse: number | null; openEnds: string | null }
>(`
  update threads
     set head_position   = :endPosition,
         size_total      = :sizeTotal,
         turns_total     = :turnsTotal,
         latest_response = coalesce(:latestResponse, latest_response),
         open_ends       = coalesce(:openEnds, open_ends)
   where id = :id`);

/**
 * Stores that a history is in use, no more often than once an hour: few responses pay for it, and those of several
 * branches rarely wait for each other.
 */
export function* touchHistory(
  tx: Transaction,
  { id, rootId, usedAtMs }: Pick<ThreadRow, "id" | "rootId" | "usedAtMs">,
  nowMs: number,
): Steps<void> {
  if (usedAtMs <= nowMs - USED_STEP_MS) yield* updateUsed(tx, { id: rootId ?? id, nowMs });
}

/** How much later than its stored last use a history may have been used. */
export const USED_STEP_MS = HOUR_MS;

const updateUsed = write<{ id: number; nowMs: number }>(`
  update threads set used_at_ms = :nowMs where id = :id`);

/** Sets the last live response of a thread after one was deleted. */
export const setLatestResponse = write<{ id: number; latestResponse: number | null }>(`
  update threads set latest_response = :latestResponse where id = :id`);

/** Deletes a private thread without items: the response that it was created for is withdrawn. */
export const deleteEmptyThread = write<{ id: number }>(`
  delete from threads
   where id = :id
     and public_id is null
     and head_position = 0`);

/** The segments of a thread's history up to one of its positions. */
export function segmentsOf(thread: Pick<ThreadRow, "id" | "lineage">, upTo: number): Segment[] {
  const lineage = parseStored<[number, number][]>(thread.lineage, "lineage of a thread");
  return [...lineage.map(([threadId, end]) => ({ threadId, upTo: end })), { threadId: thread.id, upTo }];
}

/** The view of a thread's history up to one of its positions, with the totals of its live items. */
export function* viewOf(tx: Transaction, thread: ThreadRow, upTo: number): Steps<View> {
  const segments = segmentsOf(thread, upTo);
  let size = 0;
  let turns = 0;
  for (const segment of segments) {
    if (segment.upTo === 0) continue;
    const all = (yield* selectTotals(tx, segment)) ?? NOTHING;
    const block = Math.floor(segment.upTo / BLOCK);
    const deleted = (yield* selectDeleted(tx, { ...segment, block, from: block * BLOCK })) ?? NOTHING;
    size += all.size - deleted.size;
    turns += all.turns - deleted.turns;
  }
  return { segments, size, turns };
}

const NOTHING = { size: 0, turns: 0 };

/** A union, because live and deleted items are in separate indexes. */
const selectTotals = one<Segment, { size: number; turns: number }>(`
  select size_total  as size,
         turns_total as turns
    from items
   where thread_id = :threadId
     and position = :upTo
     and deleted_at_ms is null
   union all
  select size_total, turns_total
    from items
   where thread_id = :threadId
     and position = :upTo
     and deleted_at_ms is not null`);

/** Positions for which deleted_sums has one row. */
const BLOCK = 1024;

/** The rows of whole blocks, and the items behind them. */
const selectDeleted = one<Segment & { block: number; from: number }, { size: number; turns: number }>(`
  select coalesce(sum(size), 0)  as size,
         coalesce(sum(turns), 0) as turns
    from (select size, turns
            from deleted_sums
           where thread_id = :threadId
             and block < :block
           union all
          select size, opens_turn
            from items
           where thread_id = :threadId
             and position between :from and :upTo
             and deleted_at_ms is not null) deleted`);

/** Encodes segments as text; empty ones share nothing and are left out. */
function encodeLineage(segments: readonly Segment[]): string {
  return JSON.stringify(segments.filter(({ upTo }) => upTo > 0).map(({ threadId, upTo }) => [threadId, upTo]));
}
