// Threads: the stretches that histories are made of, and the views that readers have of them.
import type { Caller, Segment, View } from "../../../ports/histories.ts";
import { parseStored } from "../database/stored-json.ts";
import type { Connection } from "../database/connection.ts";
import { change, one } from "../database/statement.ts";

/** Where a thread ends. */
export interface ThreadHead {
  readonly headPosition: number;
  readonly sizeTotal: number;
  readonly turnsTotal: number;
}

/** A thread as operations need it. */
export interface ThreadRow extends ThreadHead {
  readonly id: number;
  readonly publicId: string | null;
  readonly organizationId: string;
  readonly keyId: string;
  readonly rootId: number | null;
  readonly lineage: string;
  readonly latestResponse: number | null;
  readonly createdAt: number;
  readonly metadata: string | null;
  /** Of its root: that tombstone reaches every branch. */
  readonly deletedAtMs: number | null;
}

/** The columns of ThreadRow, for a select from `threads t left join threads root on root.id = t.root_id`. */
const THREAD_COLUMNS = `
         t.id,
         t.public_id                                  as publicId,
         t.organization_id                            as organizationId,
         t.key_id                                     as keyId,
         t.root_id                                    as rootId,
         t.lineage,
         t.head_position                              as headPosition,
         t.size_total                                 as sizeTotal,
         t.turns_total                                as turnsTotal,
         t.latest_response                            as latestResponse,
         t.created_at                                 as createdAt,
         t.metadata,
         coalesce(root.deleted_at_ms, t.deleted_at_ms) as deletedAtMs`;

/** A thread by its rowid. */
export const selectThread = one<{ id: number }, ThreadRow>(`
  select ${THREAD_COLUMNS}
    from threads t
    left join threads root on root.id = t.root_id
   where t.id = :id`);

const selectConversation = one<{ conversationId: string; organizationId: string; keyId: string }, ThreadRow>(`
  select ${THREAD_COLUMNS}
    from threads t
    left join threads root on root.id = t.root_id
   where t.public_id = :conversationId
     and t.organization_id = :organizationId
     and t.key_id = :keyId`);

/** The caller's conversation of that id, deleted or not. */
export function findOwnConversation(
  connection: Connection,
  query: { caller: Caller; conversationId: string },
): ThreadRow | undefined {
  const { caller, conversationId } = query;
  return selectConversation(connection, {
    conversationId,
    organizationId: caller.organizationId,
    keyId: caller.keyId,
  });
}

/** The caller's conversation of that id while it is not deleted; every cause of the uniform 404 is undefined. */
export function findVisibleConversation(
  connection: Connection,
  query: { caller: Caller; conversationId: string },
): ThreadRow | undefined {
  const thread = findOwnConversation(connection, query);
  return thread === undefined || thread.deletedAtMs !== null ? undefined : thread;
}

/** Stores an empty thread. */
export const insertThread = change<{
  publicId: string | null;
  organizationId: string;
  keyId: string;
  rootId: number | null;
  lineage: string;
  createdAt: number;
  metadata: string | null;
}>(`
  insert into threads (public_id, organization_id, key_id, root_id, lineage, created_at, metadata)
  values (:publicId, :organizationId, :keyId, :rootId, :lineage, :createdAt, :metadata)`);

/** A private thread that goes on where another one's view ends. */
export function insertBranch(
  connection: Connection,
  branch: { from: Pick<ThreadRow, "id" | "rootId">; segments: readonly Segment[]; caller: Caller; createdAt: number },
): number {
  const { from, segments, caller, createdAt } = branch;
  return insertThread(connection, {
    publicId: null,
    organizationId: caller.organizationId,
    keyId: caller.keyId,
    rootId: from.rootId ?? from.id,
    lineage: encodeLineage(segments),
    createdAt,
    metadata: null,
  }).id;
}

/** Moves a thread's end after items were appended. */
export const moveHead = change<ThreadHead & { id: number }>(`
  update threads
     set head_position = :headPosition,
         size_total    = :sizeTotal,
         turns_total   = :turnsTotal
   where id = :id`);

/** Moves a thread's end after a response entered it. */
export const moveHeadWithLatest = change<ThreadHead & { id: number; latestResponse: number }>(`
  update threads
     set head_position   = :headPosition,
         size_total      = :sizeTotal,
         turns_total     = :turnsTotal,
         latest_response = :latestResponse
   where id = :id`);

/** Sets the last live response of a thread after one was deleted. */
export const setLatestResponse = change<{ id: number; latestResponse: number | null }>(`
  update threads set latest_response = :latestResponse where id = :id`);

/** Removes a private thread that nothing has entered: the turn that it was made for is taken back. */
export const deleteEmptyThread = change<{ id: number }>(`
  delete from threads
   where id = :id
     and public_id is null
     and head_position = 0`);

/** The stretches of a thread's history up to a position of its own. */
export function segmentsOf(thread: Pick<ThreadRow, "id" | "lineage">, upTo: number): Segment[] {
  const lineage = parseStored<[number, number][]>(thread.lineage, "lineage of a thread");
  return [...lineage.map(([threadId, end]) => ({ threadId, upTo: end })), { threadId: thread.id, upTo }];
}

/** The view of a thread's history up to a position of its own, with what its live items count. */
export function viewOf(connection: Connection, thread: ThreadRow, upTo: number): View {
  const segments = segmentsOf(thread, upTo);
  let size = 0;
  let turns = 0;
  for (const segment of segments) {
    if (segment.upTo === 0) continue;
    const all = selectTotals(connection, segment) ?? NOTHING;
    const deleted = selectDeleted(connection, segment) ?? NOTHING;
    size += all.size - deleted.size;
    turns += all.turns - deleted.turns;
  }
  return { segments, size, turns };
}

const NOTHING = { size: 0, turns: 0 };

const selectTotals = one<Segment, { size: number; turns: number }>(`
  select size_total  as size,
         turns_total as turns
    from items
   where thread_id = :threadId
     and position = :upTo`);

const selectDeleted = one<Segment, { size: number; turns: number }>(`
  select coalesce(sum(size), 0)       as size,
         coalesce(sum(opens_turn), 0) as turns
    from items
   where thread_id = :threadId
     and position <= :upTo
     and deleted_at_ms is not null`);

/** Stretches as text; empty ones share nothing and are left out. */
function encodeLineage(segments: readonly Segment[]): string {
  return JSON.stringify(segments.filter(({ upTo }) => upTo > 0).map(({ threadId, upTo }) => [threadId, upTo]));
}
