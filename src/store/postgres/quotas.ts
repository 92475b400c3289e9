// The limits of an organization that all nodes share: allowances and open streams. See docs/nodes.md
import { type Allowance, drawAllowance, drawTokens, returnToAllowance } from "../../core/access/allowance.ts";
import type { AllowanceDraw, DrawnAllowance, DrawnStreams } from "../../ports/store/nodes.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { lock, one, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";

/** NodeStore.drawAllowance. */
export const draw = plainProcedure("write", function* (tx, query: AllowanceDraw, nowMs): Steps<DrawnAllowance> {
  const { ownerId, allowanceClass, perMinute, wanted } = query;
  const before = yield* readAllowance(tx, query);
  const take = allowanceClass === "tokens" ? drawTokens : drawAllowance;
  const verdict = take(before, perMinute, nowMs, wanted);
  const { left: remaining, atMs } = verdict.allowance;
  yield* updateAllowance(tx, { ownerId, allowanceClass, remaining, atMs });
  const { granted, remaining: left, resetMs, retryAfterMs } = verdict;
  return { granted, left, resetMs, retryAfterMs };
});

/** NodeStore.returnAllowance. */
export const returnAllowance = plainProcedure("write", function* (tx, query: AllowanceDraw, nowMs): Steps<void> {
  const { ownerId, allowanceClass, perMinute, wanted: count } = query;
  const before = yield* readAllowance(tx, query);
  const { left: remaining, atMs } = returnToAllowance(before, perMinute, nowMs, count);
  yield* updateAllowance(tx, { ownerId, allowanceClass, remaining, atMs });
});

function* readAllowance(tx: Transaction, { ownerId, allowanceClass }: AllowanceDraw): Steps<Allowance | undefined> {
  yield* insertAllowance(tx, { ownerId, allowanceClass });
  yield* lockAllowance(tx, { ownerId, allowanceClass });
  return decodeAllowance(yield* selectAllowance(tx, { ownerId, allowanceClass }));
}

/** A row of what is left of an allowance; its values are null until it is drawn from. */
export interface AllowanceRow {
  readonly remaining: number | null;
  readonly atMs: number | null;
}

/** The allowance of a row; undefined: nothing has been drawn from it. */
export function decodeAllowance(row: AllowanceRow | undefined): Allowance | undefined {
  if (row === undefined || row.remaining === null || row.atMs === null) return undefined;
  return { left: row.remaining, atMs: row.atMs };
}

/** NodeStore.takeStreams. */
export const takeStreams = plainProcedure(
  "write",
  function* (tx, query: { organizationId: string; max: number; held: number; wanted: number }): Steps<DrawnStreams> {
    const { organizationId, max, held, wanted } = query;
    const { instanceId } = tx.settings;
    yield* insertStreamLimit(tx, { organizationId });
    yield* lockStreamLimit(tx, { organizationId });
    const others = (yield* selectPlacesOfOthers(tx, { organizationId, instanceId }))?.places ?? 0;
    const free = Math.max(0, max - others - held);
    const granted = Math.min(wanted, free);
    if (granted > 0) yield* setPlaces(tx, { organizationId, instanceId, places: held + granted });
    return { granted, left: free - granted };
  },
);

/** NodeStore.keepStreams. */
export const keepStreams = plainProcedure(
  "write",
  (tx, { organizationId, places }: { organizationId: string; places: number }) =>
    setPlaces(tx, { organizationId, instanceId: tx.settings.instanceId, places }),
);

type Key = { ownerId: string; allowanceClass: string };

const insertAllowance = write<Key>(`
  insert into allowances (organization_id, class)
  values (:ownerId, :allowanceClass)
  on conflict do nothing`);

const lockAllowance = lock<Key>(`
  select class
    from allowances
   where organization_id = :ownerId
     and class = :allowanceClass`);

const selectAllowance = one<Key, AllowanceRow>(`
  select remaining, at_ms as atMs
    from allowances
   where organization_id = :ownerId
     and class = :allowanceClass`);

const updateAllowance = write<Key & { remaining: number; atMs: number }>(`
  update allowances
     set remaining = :remaining,
         at_ms     = :atMs
   where organization_id = :ownerId
     and class = :allowanceClass`);

const insertStreamLimit = write<{ organizationId: string }>(`
  insert into stream_limits (organization_id)
  values (:organizationId)
  on conflict do nothing`);

const lockStreamLimit = lock<{ organizationId: string }>(`
  select organization_id from stream_limits where organization_id = :organizationId`);

const selectPlacesOfOthers = one<{ organizationId: string; instanceId: number }, { readonly places: number }>(`
  select coalesce(sum(p.places), 0) as places
    from stream_places p
    join nodes n on n.id = p.node_id
   where p.organization_id = :organizationId
     and p.node_id <> :instanceId
     and n.gone_at_ms is null`);

/** An insert: it waits for an earlier one of this node whose outcome is unknown and which may still be committed. */
const setPlaces = write<{ organizationId: string; instanceId: number; places: number }>(`
  insert into stream_places (organization_id, node_id, places)
  values (:organizationId, :instanceId, :places)
      on conflict (organization_id, node_id) do update
     set places = excluded.places`);
