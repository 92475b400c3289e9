// Requests that got an error response: kept in batches, off the path of requests; bounded for each organization.
import { REJECTIONS_KEPT_MAX } from "../../contract/manage/limits.ts";
import type { KeptRejection, Rejection, RejectionStore } from "../../ports/store/rejections.ts";
import { addFailures } from "./failures.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { change, many, one, write } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";

type Keep = Parameters<RejectionStore["keepRejections"]>[0];

/** RejectionStore.keepRejections. */
export const keepRejections = plainProcedure(
  "write",
  function* (tx, { rejections, failures }: Keep, nowMs): Steps<void> {
    for (const rejection of rejections) yield* insertRejection(tx, { ...rejection });
    for (const organizationId of new Set(rejections.map((each) => each.organizationId))) {
      const oldest = yield* selectFirstBeyond(tx, { organizationId });
      if (oldest !== undefined) yield* deleteUpTo(tx, { organizationId, id: oldest.id });
    }
    yield* addFailures(tx, failures, nowMs);
  },
);

/** RejectionStore.listRejections. */
export const listRejections = plainProcedure(
  "read",
  function* (tx, query: Parameters<RejectionStore["listRejections"]>[0]): Steps<readonly KeptRejection[]> {
    const { organizationId, before } = query;
    const { id: beforeId, atMs } = before ?? END;
    // Nothing is older than one that is no longer kept.
    const beforeMs = atMs ?? (yield* selectTime(tx, { organizationId, id: beforeId }))?.atMs ?? 0;
    return yield* selectPage(tx, { keyId: null, code: null, model: null, ...query, beforeMs, beforeId });
  },
);

const END = { id: Number.MAX_SAFE_INTEGER, atMs: Number.MAX_SAFE_INTEGER };

/** RejectionStore.findRejection. */
export const findRejection = plainProcedure(
  "read",
  function* (tx, query: Parameters<RejectionStore["findRejection"]>[0]): Steps<KeptRejection | null> {
    return (yield* selectOne(tx, query)) ?? null;
  },
);

/** The rejections of an organization, or of the keys in it that a member owns now. */
const SELECT = `
  select r.id,
         r.organization_id as organizationId,
         r.key_id          as keyId,
         k.name            as keyName,
         r.request_id      as requestId,
         r.at_ms           as atMs,
         r.operation,
         r.model,
         r.status,
         r.code,
         r.param,
         r.message,
         r.skipped,
         r.provider,
         r.provider_status     as providerStatus,
         r.provider_request_id as providerRequestId
    from rejections r
    left join api_keys k on k.id = r.key_id
   where r.organization_id = :organizationId
     and (cast(:memberId as text) is null or k.member_id = :memberId)`;

type Whose = { organizationId: string; memberId: string | null };

type Which = Whose & { keyId: string | null; code: string | null; model: string | null };

// By time: each node writes batches, so that the ids of several nodes are in no order of time. An organization has few
// enough rejections to be searched and sorted.
const selectPage = many<Which & { beforeMs: number; beforeId: number; limit: number }, KeptRejection>(`${SELECT}
     and (r.at_ms, r.id) < (:beforeMs, :beforeId)
     and (cast(:keyId as text) is null or r.key_id = :keyId)
     and (cast(:code as text) is null or r.code = :code)
     and (cast(:model as text) is null or r.model = :model)
   order by r.at_ms desc, r.id desc
   limit +:limit`);

const selectTime = one<{ organizationId: string; id: number }, { readonly atMs: number }>(`
  select at_ms as atMs
    from rejections
   where organization_id = :organizationId
     and id = :id`);

const selectOne = one<Whose & { requestId: string }, KeptRejection>(`${SELECT}
     and r.request_id = :requestId
   order by r.id desc
   limit 1`);

const insertRejection = write<Rejection>(`
  insert into rejections
    (organization_id, key_id, request_id, at_ms, operation, model, status, code, param, message, skipped,
     provider, provider_status, provider_request_id)
  values
    (:organizationId, :keyId, :requestId, :atMs, :operation, :model, :status, :code, :param, :message, :skipped,
     :provider, :providerStatus, :providerRequestId)`);

/** The newest rejection of an organization beyond the most that are kept. */
const selectFirstBeyond = one<{ organizationId: string }, { readonly id: number }>(`
  select id
    from rejections
   where organization_id = :organizationId
   order by id desc
   limit 1
  offset ${REJECTIONS_KEPT_MAX}`);

const deleteUpTo = write<{ organizationId: string; id: number }>(`
  delete from rejections
   where organization_id = :organizationId
     and id <= :id`);

/** Deletes up to `limit` rejections from before a time. */
export const deleteRejectionsBefore = change<{ beforeMs: number; limit: number }>(`
  delete from rejections
   where id in (select id from rejections where at_ms < :beforeMs order by at_ms limit +:limit)`);

/** Deletes up to `limit` rejections of an organization. */
export const deleteRejectionsOf = change<{ organizationId: string; limit: number }>(`
  delete from rejections
   where id in (select id from rejections where organization_id = :organizationId limit +:limit)`);
