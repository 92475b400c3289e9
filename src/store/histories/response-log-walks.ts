// Walks through the log of turns in the order of their begin. A walk follows one index from a place on and reads a
// limited number of responses; the index is chosen by the rarest part of a filter.
import type { TurnGrouping } from "../../contract/manage/turn-groupings.ts";
import type { ResponseCount, ResponseFilter, ResponseGroup } from "../../ports/store/response-log.ts";
import { many, one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { LOGGED_COLUMNS, LOGGED_JOINS, type LoggedRow } from "./response-log-rows.ts";

/** A position in the log: responses are ordered by time, then by their order in the store. */
export interface Position {
  readonly createdAt: number;
  readonly id: number;
}

/** A stretch of the log, both ends exclusive. */
export interface Stretch {
  readonly after: Position;
  readonly before: Position;
}

/** Where a walk goes from its beginning. */
export type Direction = "older" | "newer";

/** An index, and the filter of the turns on it. */
export interface Walk {
  readonly along: Path;
  readonly filter: ResponseFilter;
  /** Whether turns on it may not fit the filter. */
  readonly isSearch: boolean;
}

/** The walks that find a filter's responses: one, or for a member one for each key. */
export function* chooseWalks(tx: Transaction, filter: ResponseFilter): Steps<readonly Walk[]> {
  const { conversationId, endUser, label, status, failureCode, keyId, memberId, model, organizationId } = filter;
  // Responses of nobody, and those outside of conversations, are on no index of their own.
  const isOfNone = conversationId === "" || endUser === "" || label === "";
  const isSearch = isOfNone || model !== null || status !== null || memberId !== null;
  const isAlongOne = isSearch || keyId !== null || failureCode !== null;
  if (conversationId) {
    return [{ along: PATHS.conversation, filter, isSearch: isAlongOne || endUser !== null || label !== null }];
  }
  if (endUser) return [{ along: PATHS.endUser, filter, isSearch: isAlongOne || label !== null }];
  if (label) return [{ along: PATHS.label, filter, isSearch: isAlongOne }];
  if (failureCode !== null || UNSUCCESSFUL.has(status)) return [{ along: PATHS.unsuccessful, filter, isSearch: true }];
  if (status === "queued" || status === "in_progress") return [{ along: PATHS.running, filter, isSearch }];
  if (keyId !== null) return [{ along: PATHS.key, filter, isSearch }];
  if (memberId === null || (yield* selectMember(tx, { memberId, organizationId })) === undefined) {
    // The keys of a removed member have no owner any more.
    return [{ along: PATHS.organization, filter, isSearch }];
  }
  const keys = yield* selectKeysOf(tx, { memberId, organizationId });
  // All responses of a member's key are the member's: a key never gets another owner.
  const isSearchOfKey = isOfNone || model !== null || status !== null;
  return keys.map(({ id }) => ({ along: PATHS.key, filter: { ...filter, keyId: id }, isSearch: isSearchOfKey }));
}

/**
 * Reads the responses of a walk, from the newer end of a stretch (`older`) or from its older end (`newer`). `end`: the
 * last response that was read, when it is the last of `readsMax` that a search may read.
 */
export function* readWalk(
  tx: Transaction,
  walk: Walk,
  page: { direction: Direction; stretch: Stretch; readsMax: number; limit: number },
): Steps<{ readonly rows: readonly LoggedRow[]; readonly end: Position | undefined }> {
  const { direction, stretch, readsMax, limit } = page;
  const { selectPage, selectNth } = walk.along[direction];
  // Where all responses fit, a page reads no more than it has.
  const end = walk.isSearch ? yield* selectNth(tx, { ...within(walk, stretch), skipped: readsMax - 1 }) : undefined;
  const readable = end === undefined ? stretch : { ...stretch, ...UP_TO[direction](end) };
  return { rows: yield* selectPage(tx, { ...within(walk, readable), limit }), end };
}

/** A group of a walk's responses; its id is "" for those that belong to none. */
export type GroupRow = Omit<ResponseGroup, "chargedNano"> & { readonly chargedNano: string };

/** The end of a stretch behind a response that belongs to it. */
const UP_TO = {
  older: ({ createdAt, id }: Position) => ({ after: { createdAt, id: id - 1 } }),
  newer: ({ createdAt, id }: Position) => ({ before: { createdAt, id: id + 1 } }),
} as const;

interface PathParameters extends Omit<ResponseFilter, "from" | "to"> {
  readonly afterAt: number;
  readonly afterId: number;
  readonly beforeAt: number;
  readonly beforeId: number;
}

/** The parameters of the statements along a walk's path, for its responses in a stretch. */
export function within({ filter }: Walk, { after, before }: Stretch): PathParameters {
  const ends = { afterAt: after.createdAt, afterId: after.id, beforeAt: before.createdAt, beforeId: before.id };
  return { ...filter, ...ends };
}

type Path = ReturnType<typeof path>;

/** The statements along one index: the condition is on its first column. */
function path(condition: string) {
  const stretch = `
   where ${condition}
     and (r.created_at, r.id) > (:afterAt, :afterId)
     and (r.created_at, r.id) < (:beforeAt, :beforeId)`;
  const filter = `
     and (cast(:keyId as text) is null or r.key_id = :keyId)
     and (cast(:memberId as text) is null or coalesce(r.member_id, '') = :memberId)
     and (cast(:model as text) is null or r.model = :model)
     and (cast(:status as text) is null or r.status = :status)
     and (cast(:failureCode as text) is null or r.failure_code = :failureCode)
     and (cast(:conversationId as text) is null or coalesce((select public_id from threads where id = r.thread_id), '') = :conversationId)
     and (cast(:endUser as text) is null or coalesce(r.end_user, '') = :endUser)
     and (cast(:label as text) is null or coalesce(r.label, '') = :label)`;
  const inOrder = (order: "asc" | "desc") => ({
    selectPage: many<PathParameters & { limit: number }, LoggedRow>(`
  select ${LOGGED_COLUMNS} ${LOGGED_JOINS} ${stretch} ${filter}
   order by r.created_at ${order}, r.id ${order}
   limit +:limit`),
    selectNth: one<PathParameters & { skipped: number }, Position>(`
  select r.created_at as createdAt, r.id
    from responses r ${stretch}
   order by r.created_at ${order}, r.id ${order}
   limit 1 offset +:skipped`),
  });
  const selectCounts = many<PathParameters, ResponseCount>(`
  select r.created_at / 3600 as hour,
         r.model,
         count(*)            as responses
    from responses r ${stretch} ${filter}
   group by r.created_at / 3600, r.model`);
  const selectGroups = many<PathParameters & { by: TurnGrouping }, GroupRow>(`
  select coalesce(case cast(:by as text)
                    when 'end_user'     then r.end_user
                    when 'label'        then r.label
                    when 'conversation' then (select public_id from threads where id = r.thread_id)
                    when 'model'        then r.model
                    when 'key'          then r.key_id
                    when 'member'       then r.member_id
                  end, '')                                      as id,
         max(case cast(:by as text)
               when 'key'    then (select name from api_keys where id = r.key_id)
               when 'member' then (select email from members where id = r.member_id)
             end)                                               as name,
         count(*)                                               as responses,
         sum(case when r.status = 'failed' then 1 else 0 end)   as failed,
         coalesce(sum(r.input_tokens), 0)                       as inputTokens,
         coalesce(sum(r.output_tokens), 0)                      as outputTokens,
         cast(coalesce(sum(r.charged_nano), 0) as text)         as chargedNano
    from responses r ${stretch} ${filter}
   group by 1`);
  return { older: inOrder("desc"), newer: inOrder("asc"), selectCounts, selectGroups };
}

/** Each path is within one organization: it has no response by another one's key or conversation. */
const PATHS = {
  conversation: path(
    "r.thread_id = (select id from threads where public_id = :conversationId and organization_id = :organizationId)",
  ),
  endUser: path("r.organization_id = :organizationId and r.end_user = :endUser"),
  label: path("r.organization_id = :organizationId and r.label = :label"),
  // In the words of the index (migrations/0022-short-index-conditions.sql).
  unsuccessful: path(
    "r.organization_id = :organizationId and (r.status = 'failed' or r.status = 'incomplete' or r.status = 'cancelled')",
  ),
  // An expression instead of the column, so that the database takes the short index of the running responses.
  running: path("r.completed_at is null and r.organization_id || '' = :organizationId"),
  key: path("r.key_id = (select id from api_keys where id = :keyId and organization_id = :organizationId)"),
  organization: path("r.organization_id = :organizationId"),
} as const;

const UNSUCCESSFUL: ReadonlySet<string | null> = new Set(["failed", "incomplete", "cancelled"]);

const selectMember = one<{ memberId: string; organizationId: string }, { readonly id: string }>(`
  select id
    from members
   where id = :memberId
     and organization_id = :organizationId`);

const selectKeysOf = many<{ memberId: string; organizationId: string }, { readonly id: string }>(`
  select id
    from api_keys
   where member_id = :memberId
     and organization_id = :organizationId`);
