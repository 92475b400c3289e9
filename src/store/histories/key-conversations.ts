// The conversations in which a key's responses ran, for the holder of the key, by their last use.
import { isJsonObject, parseJson } from "../../base/json.ts";
import type { ConversationStore, KeyConversation } from "../../ports/store/conversations.ts";
import { decodedProcedure } from "../engine/procedure.ts";
import { many, one } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";

type Query = Parameters<ConversationStore["listKeyConversations"]>[0];

/** Items at the begin of a conversation that are looked at for its title, and the characters of one. */
const TITLE_ITEMS = 5;
const TITLE_CHARACTERS = 80;
/** Longer bodies are not read for a title, characters. */
const BODY_CHARACTERS = 64 * 1024;

interface Row {
  readonly threadId: number;
  readonly id: string;
  readonly createdAt: number;
  readonly lastResponse: number;
  readonly lastUsedAt: number;
}

interface Sums {
  readonly responses: number;
  readonly charged: string;
}

/** ConversationStore.listKeyConversations. */
export const listKeyConversations = decodedProcedure(
  "aside",
  function* (
    tx,
    { caller, before, limit, readsMax }: Query,
  ): Steps<readonly (Row & Sums & { readonly bodies: readonly string[] })[]> {
    const found = [];
    const beforeId = before ?? Number.MAX_SAFE_INTEGER;
    for (const row of yield* selectPage(tx, { ...caller, beforeId, limit, readsMax })) {
      const { threadId } = row;
      const sums = (yield* selectSums(tx, { threadId })) ?? { responses: 0, charged: "0" };
      const bodies = yield* selectFirst(tx, { threadId });
      found.push({ ...row, ...sums, bodies: bodies.map(({ body }) => body) });
    }
    return found;
  },
  (rows): readonly KeyConversation[] =>
    rows.map(({ id, createdAt, lastUsedAt, lastResponse, responses, charged, bodies }) => ({
      id,
      createdAt,
      lastUsedAt,
      place: lastResponse,
      responses,
      chargedNano: BigInt(charged),
      title: titleOf(bodies),
    })),
);

/** The first words of a user; null: no text of one is near the begin. */
function titleOf(bodies: readonly string[]): string | null {
  for (const body of bodies) {
    const item = parseJson(body);
    if (!isJsonObject(item) || item["role"] !== "user" || !Array.isArray(item["content"])) continue;
    const texts = item["content"].map((part: unknown) => (isJsonObject(part) ? part["text"] : null));
    const text = texts
      .filter((part) => typeof part === "string")
      .join(" ")
      .replace(/\s+/g, " ")
      .trim();
    if (text === "") continue;
    // Not within a character of two units.
    const start = text.slice(0, TITLE_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
    return text.length > TITLE_CHARACTERS ? `${start}…` : text;
  }
  return null;
}

/**
 * The conversations of a key's newest responses, each once, by its newest response. Those that an earlier page listed
 * are left out.
 */
const selectPage = many<
  { organizationId: string; keyId: string; beforeId: number; readsMax: number; limit: number },
  Row
>(`
  select t.id                 as threadId,
         t.public_id          as id,
         t.created_at         as createdAt,
         max(newest.id)         as lastResponse,
         max(newest.created_at) as lastUsedAt
    from (select r.id, r.thread_id, r.created_at
            from responses r
           where r.key_id = :keyId
             and r.id < :beforeId
             and r.created_at <= coalesce((select last.created_at from responses last where last.id = :beforeId),
                                          ${Number.MAX_SAFE_INTEGER})
           order by r.created_at desc, r.id desc
           limit +:readsMax) newest
    join threads t on t.id = newest.thread_id
   where t.public_id is not null
     and t.deleted_at_ms is null
     and t.organization_id = :organizationId
     and t.key_id = :keyId
     and not exists (select 1 from responses later where later.thread_id = t.id and later.id >= :beforeId)
   group by t.id, t.public_id, t.created_at
   order by max(newest.id) desc
   limit +:limit`);

const selectSums = one<{ threadId: number }, Sums>(`
  select count(*)                                        as responses,
         cast(coalesce(sum(charged_nano), 0) as text) as charged
    from responses
   where thread_id = :threadId`);

const selectFirst = many<{ threadId: number }, { readonly body: string }>(`
  select i.body
    from items i
   where i.thread_id = :threadId
     and i.position between 1 and ${TITLE_ITEMS}
     and i.kind = 'message'
     and i.deleted_at_ms is null
     and i.body is not null
     and octet_length(i.body) <= ${BODY_CHARACTERS}
   order by i.position`);
