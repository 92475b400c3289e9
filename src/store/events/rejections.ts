// Requests that got an error response: kept in batches, off the path of requests; bounded for each organization.
import { REJECTIONS_KEPT_MAX } from "../../contract/manage/rejection-limits.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { Operation } from "../../contract/routes.ts";
import type { KeptRejection, Rejection, RejectionStore } from "../../ports/store/rejections.ts";
import { plainOperation } from "../engine/operation.ts";
import { change, many, one, write } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";

/** RejectionStore.keepRejections. */
export const keepRejections = plainOperation(
  "write",
  function* (tx, { rejections }: { rejections: readonly Rejection[] }): Steps<void> {
    for (const rejection of rejections) yield* insertRejection(tx, { ...rejection });
    for (const organizationId of new Set(rejections.map((each) => each.organizationId))) {
      const oldest = yield* selectFirstBeyond(tx, { organizationId });
      if (oldest !== undefined) yield* deleteUpTo(tx, { organizationId, id: oldest.id });
    }
  },
);

/** RejectionStore.listRejections. */
export const listRejections = plainOperation(
  "read",
  function* (tx, query: Parameters<RejectionStore["listRejections"]>[0]): Steps<readonly KeptRejection[]> {
    const { organizationId, memberId, before, limit } = query;
    const page = { organizationId, beforeId: before ?? Number.MAX_SAFE_INTEGER, limit };
    const rows = memberId === null ? yield* selectAll(tx, page) : yield* selectOwn(tx, { ...page, memberId });
    return rows.map(decode);
  },
);

/** RejectionStore.findRejection. */
export const findRejection = plainOperation(
  "read",
  function* (tx, query: Parameters<RejectionStore["findRejection"]>[0]): Steps<KeptRejection | null> {
    const { organizationId, memberId, requestId } = query;
    const row = yield* selectOne(tx, { organizationId, requestId });
    if (row === undefined || (memberId !== null && row.ownerId !== memberId)) return null;
    return decode(row);
  },
);

type Row = Omit<KeptRejection, "operation" | "code"> & {
  readonly operation: string;
  readonly code: string;
  /** The member who owns the key now. */
  readonly ownerId: string | null;
};

function decode({ ownerId: _ownerId, operation, code, ...row }: Row): KeptRejection {
  return { ...row, operation: operation as Operation, code: code as ErrorCode };
}

const SELECT = `
  select r.id,
         r.organization_id as organizationId,
         r.key_id          as keyId,
         k.name            as keyName,
         k.member_id       as ownerId,
         r.request_id      as requestId,
         r.at_ms           as atMs,
         r.operation,
         r.status,
         r.code,
         r.param,
         r.message,
         r.skipped
    from rejections r
    left join api_keys k on k.id = r.key_id
   where r.organization_id = :organizationId`;

type Page = { organizationId: string; beforeId: number; limit: number };

const selectAll = many<Page, Row>(`${SELECT}
     and r.id < :beforeId
   order by r.id desc
   limit +:limit`);

const selectOwn = many<Page & { memberId: string }, Row>(`${SELECT}
     and k.member_id = :memberId
     and r.id < :beforeId
   order by r.id desc
   limit +:limit`);

const selectOne = one<{ organizationId: string; requestId: string }, Row>(`${SELECT}
     and r.request_id = :requestId
   order by r.id desc
   limit 1`);

const insertRejection = write<Rejection>(`
  insert into rejections
    (organization_id, key_id, request_id, at_ms, operation, status, code, param, message, skipped)
  values
    (:organizationId, :keyId, :requestId, :atMs, :operation, :status, :code, :param, :message, :skipped)`);

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
