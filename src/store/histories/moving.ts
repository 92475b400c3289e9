// Conversations that are exported and imported. docs/moving-conversations.md
import type { ConversationPage, ImportOutcome, MovingStore, OutputLink } from "../../ports/store/conversations.ts";
import { record } from "../accounts/audit.ts";
import { findLiveKey } from "../accounts/keys.ts";
import { decodedProcedure, encodedProcedure, identity, plainProcedure } from "../engine/procedure.ts";
import { many, one } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { type ConversationColumns, appendTo, decodeConversation, encodeAll } from "./conversations.ts";
import { ANSWERS } from "./item-codec.ts";
import { addConversation, findVisibleConversation, lockVisibleConversation, touchHistory } from "./threads.ts";

type List = Parameters<MovingStore["listConversations"]>[0];
type Links = Parameters<MovingStore["readLinks"]>[0];
type Import = Parameters<MovingStore["importItems"]>[0];

/** MovingStore.listConversations. */
export const listConversations = decodedProcedure(
  "aside",
  function* (tx, { readsMax, ...query }: List): Steps<{ rows: OwnedRow[]; next: number | null }> {
    const next = (yield* selectLast(tx, { after: query.after, skip: readsMax - 1 }))?.id ?? null;
    return { rows: yield* selectConversations(tx, { ...query, last: next ?? Number.MAX_SAFE_INTEGER }), next };
  },
  ({ rows, next }): ConversationPage => ({
    conversations: rows.map((row) => ({ ...decodeConversation(row), keyId: row.keyId })),
    next,
  }),
);

/** MovingStore.readLinks. */
export const readLinks = plainProcedure("aside", function* (tx, { caller, conversationId, itemIds }: Links): Steps<
  OutputLink[]
> {
  const thread = yield* findVisibleConversation(tx, { caller, conversationId });
  const links: OutputLink[] = [];
  if (thread === undefined) return links;
  for (const itemId of itemIds) {
    const link = yield* selectLink(tx, { threadId: thread.id, itemId });
    if (link !== undefined) links.push({ itemId, answers: link.answers });
  }
  return links;
});

/** MovingStore.importItems. */
export const importItems = encodedProcedure({
  side: "write",
  encode: (add: Import) => ({ ...add, items: encodeAll(add.items) }),
  run: function* (tx, { caller, conversation, from, isNew, items }, nowMs): Steps<ImportOutcome> {
    // A key may have been revoked, and an organization deleted and erased, since the import began.
    if ((yield* findLiveKey(tx, caller)) === undefined) return { kind: "revoked" };
    const thread = yield* lockVisibleConversation(tx, { caller, conversationId: conversation.id });
    if (thread === undefined) {
      if (from > 0) return { kind: "missing" };
      if ((yield* selectAnyThread(tx, { publicId: conversation.id })) !== undefined) return { kind: "taken" };
      yield* appendTo(tx, yield* addConversation(tx, caller, conversation, nowMs), items);
      return { kind: "held", items: items.length };
    }
    if (isNew) return { kind: "taken" };
    if (thread.endPosition !== from) return { kind: "held", items: thread.endPosition };
    yield* touchHistory(tx, thread, nowMs);
    yield* appendTo(tx, thread, items);
    return { kind: "held", items: from + items.length };
  },
  decode: identity<ImportOutcome>,
});

/** MovingStore.logMove. */
export const logMove = plainProcedure(
  "write",
  function* (tx, move: Parameters<MovingStore["logMove"]>[0], atMs): Steps<void> {
    const { by, action, organizationId, keyId: target, conversations, items } = move;
    yield* record(tx, { by, atMs, organizationId, action, target, after: { conversations, items } });
  },
);

type OwnedRow = ConversationColumns & { readonly keyId: string };

/** The last of the next `skip + 1` threads after an id; none when fewer are left. */
const selectLast = one<{ after: number; skip: number }, { id: number }>(`
  select id
    from threads
   where id > :after
   order by id
   limit 1 offset +:skip`);

const selectConversations = many<
  { organizationId: string; keyId: string | null; after: number; last: number },
  OwnedRow
>(`
  select t.public_id  as publicId,
         t.key_id     as keyId,
         t.created_at as createdAt,
         t.metadata
    from threads t
   where t.id > :after
     and t.id <= :last
     and t.public_id is not null
     and t.deleted_at_ms is null
     and t.organization_id = :organizationId
     and (cast(:keyId as text) is null or t.key_id = :keyId)
   order by t.id`);

const selectLink = one<{ threadId: number; itemId: string }, { answers: string }>(`
  select linked.answers
    from (select ${ANSWERS}
            from items i
           where i.thread_id = :threadId
             and i.public_id = :itemId) linked
   where linked.answers is not null`);

const selectAnyThread = one<{ publicId: string }, { id: number }>(`
  select id from threads where public_id = :publicId`);
