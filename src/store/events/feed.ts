// The feed of management events: written with the transaction that causes them, read in pages. Whatever a commit has
// emitted is written at its end, and holds the head of the feed no longer than that.
import type { ActorKind } from "../../contract/manage/roles.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { EventCount, EventStore, FeedEvent, ProviderReport } from "../../ports/store/events.ts";
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import { decodedProcedure, plainProcedure } from "../engine/procedure.ts";
import { change, lock, many, one, write } from "../engine/statement.ts";
import { parseStored } from "../engine/stored-json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";

/** An event, as the procedure that causes it emits it. */
export interface EmittedEvent extends Pick<FeedEvent, "organizationId" | "atMs" | "type" | "target" | "data"> {
  /** The key or member whose name it gets. */
  readonly about?: { readonly kind: "key" | "member"; readonly id: string };
  /** The name, where it is known. */
  readonly name?: string;
  readonly by?: Actor;
  /** What identifies an event that is reported once; a later one with the same text is dropped. */
  readonly once?: string;
}

const EMITTED: RowBuffer<EmittedEvent> = rowBuffer();

/** Adds an event to the feed, as part of the transaction. */
export function emit(event: EmittedEvent, tx: Transaction): void {
  const emitted = EMITTED(tx);
  emitted.set(event.once ?? `${emitted.size}`, event);
}

/**
 * Writes what was emitted. The row of the head is locked until the commit, so ids are in the order of commits and have
 * no gap, on several nodes too.
 */
export function* writeEvents(tx: Transaction): Steps<void> {
  const emitted = EMITTED(tx);
  if (emitted.size === 0) return;
  yield* createHead(tx, { none: 0 });
  yield* lockHead(tx, {});
  const first = ((yield* selectHead(tx, {}))?.lastId ?? 0) + 1;
  let id = first;
  for (const event of emitted.values()) {
    const { organizationId, atMs, type, target, by, data, once = null } = event;
    if (once !== null && (yield* selectOnce(tx, { once })) !== undefined) continue;
    const [actorKind, actorId] = [by?.kind ?? null, by?.id ?? null];
    const name = event.name ?? (yield* findName(tx, event));
    const row = { id, organizationId, atMs, type, target, name, actorKind, actorId, once };
    yield* insertEvent(tx, { ...row, data: JSON.stringify(data) });
    id++;
  }
  if (id > first) yield* updateHead(tx, { lastId: id - 1 });
}

function* findName(tx: Transaction, { about }: EmittedEvent): Steps<string | null> {
  if (about === undefined) return null;
  const select = about.kind === "key" ? selectKeyName : selectEmail;
  return (yield* select(tx, { id: about.id }))?.name ?? null;
}

/** EventStore.listEvents. */
export const listEvents = decodedProcedure(
  "read",
  (tx, { organizationId, from: { direction, id }, limit }: Parameters<EventStore["listEvents"]>[0]) =>
    (organizationId === null ? OF_ALL : OF_ONE)[direction](tx, { organizationId, id, limit }),
  (rows) => rows.map(decodeEvent),
);

/** EventStore.countEvents. */
export const countEvents = plainProcedure(
  "read",
  (tx, { lastMs, readsMax }: Parameters<EventStore["countEvents"]>[0], nowMs) =>
    selectCounts(tx, { afterMs: nowMs - lastMs, limit: readsMax }),
);

type EventRow = Omit<FeedEvent, "by" | "data"> & {
  readonly actorKind: ActorKind | null;
  readonly actorId: string | null;
  readonly data: string;
};

function decodeEvent({ actorKind, actorId, data, ...row }: EventRow): FeedEvent {
  const by = actorKind === null || actorId === null ? null : { kind: actorKind, id: actorId };
  return { ...row, by, data: parseStored(data, "event") };
}

/** The name of an actor, for a select from a table that has `actor_id`. */
export const ACTOR_NAME = `
         coalesce((select m.email from members m where m.id = actor_id),
                  (select t.name from admin_tokens t where t.id = actor_id)) as actorName`;

/** A page of the events of a condition, in one direction from an id. */
const pageOf = (condition: string, comparison: string, order: string) =>
  many<{ organizationId: string | null; id: number; limit: number }, EventRow>(`
  select e.id,
         e.organization_id as organizationId,
         o.name            as organizationName,
         e.at_ms           as atMs,
         e.type,
         e.target,
         e.name,
         e.actor_kind      as actorKind,
         e.actor_id        as actorId,
         e.data,${ACTOR_NAME}
    from events e
    left join organizations o on o.id = e.organization_id
   where ${condition} e.id ${comparison} :id
   order by e.id ${order}
   limit +:limit`);

const pagesOf = (condition: string) => ({
  after: pageOf(condition, ">", "asc"),
  before: pageOf(condition, "<", "desc"),
});

const OF_ALL = pagesOf("");
const OF_ONE = pagesOf("e.organization_id = :organizationId and");

const selectCounts = many<{ afterMs: number; limit: number }, EventCount>(`
  select newest.type,
         count(*) as events
    from (select type from events where at_ms > :afterMs order by at_ms desc limit +:limit) newest
   group by newest.type
   order by newest.type`);

/** Deletes up to `limit` events from before a time. */
export const deleteEventsBefore = change<{ beforeMs: number; limit: number }>(`
  delete from events
   where id in (select id from events where at_ms < :beforeMs order by at_ms limit +:limit)`);

/** Deletes up to `limit` events of an organization. */
export const deleteEventsOf = change<{ organizationId: string; limit: number }>(`
  delete from events
   where id in (select id from events where organization_id = :organizationId limit +:limit)`);

const createHead = write<{ none: number }>(`
  insert into event_head ("only", last_id)
  values (1, :none)
  on conflict do nothing`);

const lockHead = lock<Record<never, never>>(`
  select last_id
    from event_head
   where "only" = 1`);

const selectHead = one<Record<never, never>, { readonly lastId: number }>(`
  select last_id as lastId
    from event_head
   where "only" = 1`);

const updateHead = write<{ lastId: number }>(`
  update event_head set last_id = :lastId where "only" = 1`);

const selectOnce = one<{ once: string }, { readonly id: number }>(`
  select id from events where once = :once`);

const selectKeyName = one<{ id: string }, { readonly name: string }>(`
  select name from api_keys where id = :id`);

const selectEmail = one<{ id: string }, { readonly name: string }>(`
  select email as name from members where id = :id`);

const insertEvent = write<Omit<EventRow, "organizationName" | "actorName"> & { once: string | null }>(`
  insert into events (id, organization_id, at_ms, type, target, name, actor_kind, actor_id, data, once)
  values (:id, :organizationId, :atMs, :type, :target, :name, :actorKind, :actorId, :data, :once)`);

/** EventStore.reportProvider. */
export const reportProvider = plainProcedure("write", function* (tx, report: ProviderReport, nowMs): Steps<void> {
  const { provider, isFailing, calls, failures } = report;
  yield* insertState(tx, { provider, failing: 0, sinceMs: nowMs });
  const { changes } = yield* updateState(tx, { provider, failing: Number(isFailing), sinceMs: nowMs });
  if (changes === 0) return;
  const type = isFailing ? "provider.failing" : "provider.recovered";
  emit({ organizationId: null, atMs: nowMs, type, target: provider, data: { calls, failures } }, tx);
});

const insertState = write<{ provider: string; failing: number; sinceMs: number }>(`
  insert into provider_states (provider, failing, since_ms)
  values (:provider, :failing, :sinceMs)
  on conflict do nothing`);

/** The condition decides between nodes that report the same. */
const updateState = change<{ provider: string; failing: number; sinceMs: number }>(`
  update provider_states
     set failing  = :failing,
         since_ms = :sinceMs
   where provider = :provider
     and failing <> :failing`);
