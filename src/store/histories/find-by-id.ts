// What an id leads to: responses by the id of a request, ours or a provider's; a conversation; the organization of any.
// Request ids have no index, which would cost every commit a page: the log is read where the id says that the request
// came, then from its newest end.
import type {
  FoundConversation,
  ResponseLogStore,
  TracedRequest,
  TracedResponse,
} from "../../ports/store/response-log.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { many, one } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";

type Trace = Parameters<ResponseLogStore["traceRequest"]>[0];

/** Longest time from the head of a create to the begin of its response, seconds. */
const BEGIN_SECONDS_MAX = 600;

/** ResponseLogStore.traceRequest. */
export const traceRequest = plainProcedure("aside", function* (tx, { cameMs, ...query }: Trace): Steps<TracedRequest> {
  if (cameMs !== null) {
    const from = Math.floor(cameMs / 1000);
    const response = yield* selectByTime(tx, { ...query, from, to: from + BEGIN_SECONDS_MAX });
    if (response !== undefined) return { responses: [response], readFrom: null };
  }
  const unsuccessful = yield* selectUnsuccessful(tx, query);
  const known = new Set(unsuccessful.map(({ id }) => id));
  const others = (yield* selectNewest(tx, query)).filter(({ id }) => !known.has(id));
  const { organizationId, readsMax } = query;
  const end = yield* selectNth(tx, { organizationId, skipped: readsMax });
  const responses = [...unsuccessful, ...others].sort((a, b) => b.createdAt - a.createdAt);
  return { responses, readFrom: end === undefined ? null : end.createdAt + 1 };
});

/** ResponseLogStore.findConversation. */
export const findConversation = plainProcedure(
  "aside",
  function* (tx, query: Parameters<ResponseLogStore["findConversation"]>[0]): Steps<FoundConversation | null> {
    return (yield* selectConversation(tx, query)) ?? null;
  },
);

/** ResponseLogStore.findOwner. */
export const findOwner = plainProcedure(
  "aside",
  function* (tx, { cameMs, ...query }: Parameters<ResponseLogStore["findOwner"]>[0]): Steps<string | null> {
    const owner = yield* selectOwner(tx, query);
    if (owner !== undefined) return owner.organizationId;
    if (cameMs === null) return null;
    const from = Math.floor(cameMs / 1000);
    return (yield* selectOwnerByTime(tx, { ...query, from, to: from + BEGIN_SECONDS_MAX }))?.organizationId ?? null;
  },
);

const TRACED = `
         r.public_id  as id,
         r.created_at as createdAt,
         r.status,
         r.model`;

const MEMBER = "(cast(:memberId as text) is null or r.member_id = :memberId)";

type Traced = { organizationId: string; memberId: string | null; requestId: string; readsMax: number };

/** The response of a create that came at a time: the walk ends where it is found. */
const selectByTime = one<Traced & { from: number; to: number }, TracedResponse>(`
  select ${TRACED}
    from (select r.public_id, r.created_at, r.status, r.model, r.member_id, r.request_id
            from responses r
           where r.organization_id = :organizationId
             and r.created_at between :from and :to
           order by r.created_at, r.id
           limit +:readsMax) r
   where r.request_id = :requestId
     and ${MEMBER}
   limit 1`);

/**
 * The response of a request id, among the newest. A provider's id is that of the last call, or of a failed call before
 * it: those are JSON strings in the ending. The inner select needs only the columns of one index, so that SQLite
 * chooses it.
 */
const newest = (condition: string) =>
  many<Traced, TracedResponse>(`
  select ${TRACED}
    from (select r.id as newest_id
            from responses r
           where r.organization_id = :organizationId ${condition}
           order by r.created_at desc, r.id desc
           limit +:readsMax) newest
    join responses r on r.id = newest.newest_id
   where (r.request_id = :requestId
          or r.provider_request_id = :requestId
          or replace(r.ending, '"' || cast(:requestId as text) || '"', '') <> r.ending)
     and ${MEMBER}
   limit 10`);

const selectNewest = newest("");
const selectUnsuccessful = newest("and (r.status = 'failed' or r.status = 'incomplete' or r.status = 'cancelled')");

const selectNth = one<{ organizationId: string; skipped: number }, { readonly createdAt: number }>(`
  select created_at as createdAt
    from responses
   where organization_id = :organizationId
   order by created_at desc, id desc
   limit 1 offset +:skipped`);

const selectConversation = one<
  { organizationId: string; memberId: string | null; conversationId: string },
  FoundConversation
>(`
  select t.key_id        as keyId,
         k.name          as keyName,
         t.created_at    as createdAt,
         case when t.deleted_at_ms is null then 0 else 1 end as isDeleted
    from threads t
    left join api_keys k on k.id = t.key_id
   where t.public_id = :conversationId
     and t.organization_id = :organizationId
     and (cast(:memberId as text) is null or k.member_id = :memberId)`);

const selectOwner = one<{ id: string }, { readonly organizationId: string }>(`
  select organization_id as organizationId from responses where public_id = :id
   union all
  select organization_id from threads where public_id = :id
   union all
  select organization_id from api_keys where id = :id
   union all
  select organization_id from members where id = :id
   union all
  select o.id
    from organizations o
   where exists (select 1 from rejections r where r.organization_id = o.id and r.request_id = :id)
   limit 1`);

/** The organization of the create that came at a time. */
const selectOwnerByTime = one<
  { id: string; readsMax: number; from: number; to: number },
  { readonly organizationId: string }
>(`
  select o.id as organizationId
    from organizations o
   where exists (select 1
                   from (select r.request_id
                           from responses r
                          where r.organization_id = o.id
                            and r.created_at between :from and :to
                          order by r.created_at, r.id
                          limit +:readsMax) near
                  where near.request_id = :id)
   limit 1`);
