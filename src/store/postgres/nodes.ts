// Nodes on PostgreSQL: rows, conditional updates and the database's clock. See docs/nodes.md
import { DAY_MS } from "../../base/time.ts";
import type { ResponseHead } from "../../core/response/response.ts";
import type { Lease, NodeRecord, OwnResponse } from "../../ports/store/nodes.ts";
import { plainProcedure } from "../engine/procedure.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Orphan } from "../../ports/store/responses.ts";
import { change, many, one, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";

/** The database's clock, milliseconds since 1970. */
const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** How long a node that has gone is still listed. */
const LISTED_MS = DAY_MS;

type Running = Pick<ResponseHead, "id" | "createdAt">;

interface NewNode extends Pick<NodeRecord, "id" | "name" | "version" | "schemaVersion" | "rootCheck"> {
  readonly leaseMs: number;
}

/** NodeStore.join; `id` is the new number of this process. */
export const join = plainProcedure("write", function* (tx, node: NewNode): Steps<void> {
  yield* forgetNodes(tx, { afterMs: LISTED_MS });
  yield* insertNode(tx, { ...node });
});

/** NodeStore.renew. */
export const renew = plainProcedure(
  "write",
  function* (tx, { leaseMs, isDraining }: { leaseMs: number; isDraining: boolean }): Steps<boolean> {
    const { instanceId } = tx.settings;
    return (yield* extendLease(tx, { instanceId, leaseMs, isDraining: Number(isDraining) })).changes === 1;
  },
);

/** NodeStore.leave. */
export const leave = plainProcedure("write", (tx) => markLeft(tx, { instanceId: tx.settings.instanceId }));

/** NodeStore.listLeases. */
export const listLeases = plainProcedure("point", (tx) => selectLeases(tx, { instanceId: tx.settings.instanceId }));

/** NodeStore.expire. */
export const expire = plainProcedure("write", function* (tx, { id, leaseUntilMs }: Lease): Steps<boolean> {
  return (yield* markExpired(tx, { id, leaseUntilMs })).changes === 1;
});

/** NodeStore.listNodes. */
export const listNodes = plainProcedure("aside", function* (tx): Steps<readonly NodeRecord[]> {
  const rows = yield* selectNodes(tx, { listedMs: LISTED_MS });
  return rows.map(({ isDraining, isLeaseOver, ...row }) => ({
    ...row,
    isDraining: isDraining === 1,
    isLeaseOver: isLeaseOver === 1,
  }));
});

/** NodeStore.listRunning. */
export const listRunning = plainProcedure("point", function* (tx): Steps<readonly OwnResponse[]> {
  const rows = yield* selectOwn(tx, { instanceId: tx.settings.instanceId });
  return rows.map(({ isStopRequested, ...row }) => ({ ...row, isStopRequested: isStopRequested === 1 }));
});

/** NodeStore.requestStop. */
export const requestStop = plainProcedure("write", function* (tx, { caller, responseId }: StopRequest): Steps<boolean> {
  return (yield* markStopRequested(tx, { ...caller, responseId })).changes === 1;
});

/** NodeStore.takeTask. */
export const takeTask = plainProcedure(
  "write",
  function* (tx, { task, leaseMs }: { task: string; leaseMs: number }): Steps<boolean> {
    return (yield* upsertTask(tx, { task, leaseMs, instanceId: tx.settings.instanceId })).changes === 1;
  },
);

/** ResponseStore.listOrphans: the running responses of nodes that have gone. */
export const listOrphans = plainProcedure("point", (tx) => selectOrphans(tx, { instanceId: tx.settings.instanceId }));

/** The database's clock, milliseconds since 1970. */
export const readNow = plainProcedure("point", function* (tx): Steps<number> {
  return (yield* selectNow(tx, {}))?.nowMs ?? 0;
});

/** The newest version of the schema with which former releases are not compatible, or that a node waits to migrate to. */
export function* readComingSchema(tx: Transaction): Steps<number> {
  return (yield* selectComingSchema(tx, {}))?.version ?? 0;
}

const selectComingSchema = one<Record<never, never>, { readonly version: number }>(`
  select greatest(coalesce((select max(version) from schema_version where compatible = 0), 0),
                  coalesce((select max(awaits) from schema_lease where expires_at > clock_timestamp()), 0)) as version`);

const selectNow = one<Record<never, never>, { readonly nowMs: number }>(`
  select ${NOW} as nowMs`);

const insertNode = write<NewNode>(`
  insert into nodes (id, name, version, schema_version, root_check, started_at_ms, lease_until_ms)
  values (:id, :name, :version, :schemaVersion, :rootCheck, ${NOW}, ${NOW} + cast(:leaseMs as bigint))`);

const forgetNodes = write<{ afterMs: number }>(`
  delete from nodes
   where gone_at_ms < ${NOW} - cast(:afterMs as bigint)
     and not exists (select 1
                       from responses
                      where responses.owner = nodes.id
                        and responses.completed_at is null)`);

const extendLease = change<{ instanceId: number; leaseMs: number; isDraining: number }>(`
  update nodes
     set lease_until_ms = ${NOW} + cast(:leaseMs as bigint),
         is_draining    = :isDraining
   where id = :instanceId
     and gone_at_ms is null`);

const markLeft = write<{ instanceId: number }>(`
  update nodes
     set gone_at_ms = ${NOW}
   where id = :instanceId
     and gone_at_ms is null`);

const selectLeases = many<{ instanceId: number }, Lease>(`
  select id,
         name,
         lease_until_ms as leaseUntilMs
    from nodes
   where gone_at_ms is null
     and id <> :instanceId`);

const markExpired = change<Omit<Lease, "name">>(`
  update nodes
     set gone_at_ms = ${NOW}
   where id = :id
     and gone_at_ms is null
     and lease_until_ms = :leaseUntilMs`);

type NodeRow = Omit<NodeRecord, "isDraining" | "isLeaseOver"> & Readonly<Record<"isDraining" | "isLeaseOver", number>>;

const selectNodes = many<{ listedMs: number }, NodeRow>(`
  select n.id,
         n.name,
         n.version,
         n.schema_version as schemaVersion,
         n.root_check     as rootCheck,
         n.started_at_ms  as startedAtMs,
         n.lease_until_ms as leaseUntilMs,
         case when n.lease_until_ms > ${NOW} then 0 else 1 end as isLeaseOver,
         n.is_draining    as isDraining,
         n.gone_at_ms     as goneAtMs,
         (select count(*)
            from responses r
           where r.owner = n.id
             and r.completed_at is null) as runningResponses
    from nodes n
   where n.gone_at_ms is null
      or n.gone_at_ms > ${NOW} - cast(:listedMs as bigint)
   order by n.started_at_ms, n.id`);

interface StopRequest {
  readonly caller: Caller;
  readonly responseId: string;
}

const markStopRequested = change<Caller & { responseId: string }>(`
  update responses
     set stop_requested_at_ms = coalesce(stop_requested_at_ms, ${NOW})
   where public_id = :responseId
     and organization_id = :organizationId
     and key_id = :keyId
     and completed_at is null`);

/** What was deleted is to be stopped too: whoever deleted it may not have known of the response, or has died since. */
const selectOwn = many<{ instanceId: number }, Running & { readonly isStopRequested: number }>(`
  select r.public_id  as id,
         r.created_at as createdAt,
         case when coalesce(r.stop_requested_at_ms, r.deleted_at_ms, root.deleted_at_ms, t.deleted_at_ms) is null then 0
              else 1 end as isStopRequested
    from responses r
    join threads t on t.id = r.thread_id
    left join threads root on root.id = t.root_id
   where r.owner = :instanceId
     and r.completed_at is null`);

const upsertTask = change<{ task: string; instanceId: number; leaseMs: number }>(`
  insert into tasks (name, node_id, lease_until_ms)
  values (:task, :instanceId, ${NOW} + cast(:leaseMs as bigint))
      on conflict (name) do update
     set node_id        = excluded.node_id,
         lease_until_ms = excluded.lease_until_ms
   where tasks.node_id = excluded.node_id
      or tasks.lease_until_ms < ${NOW}`);

/** Responses whose node has gone or has no row: the response began before its node joined, or the row was deleted. */
const selectOrphans = many<{ instanceId: number }, Orphan>(`
  select public_id        as id,
         created_at       as createdAt,
         dispatched_at_ms as dispatchedAtMs
    from responses
   where completed_at is null
     and owner <> :instanceId
     and not exists (select 1
                       from nodes
                      where nodes.id = responses.owner
                        and nodes.gone_at_ms is null)
   order by created_at, responses.id`);
