// The conversations in which a key's responses ran, for the holder of the key, by their last use.
import { isJsonObject, parseJson } from "../../base/json.ts";
import type { ConversationStore, KeyConversation } from "../../ports/store/conversations.ts";
import { decodedProcedure } from "../engine/procedure.ts";
import { many, one } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { positionBefore } from "./response-log.ts";

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
  readonly lastResponse: string;
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
    const { createdAt: beforeAt, id: beforeId } = yield* positionBefore(tx, caller.organizationId, before);
    for (const row of yield* selectPage(tx, { ...caller, beforeAt, beforeId, limit, readsMax })) {
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
      place: { createdAt: lastUsedAt, responseId: lastResponse },
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
  { organizationId: string; keyId: string; beforeAt: number; beforeId: number; readsMax: number; limit: number },
  Row
>(`
  select t.id                as threadId,
         t.public_id         as id,
         t.created_at        as createdAt,
         newest.public_id    as lastResponse,
         newest.created_at   as lastUsedAt
    from (select last.thread_id,
                 last.id,
                 last.public_id,
                 last.created_at,
                 row_number() over (partition by last.thread_id order by last.created_at desc, last.id desc) as place
            from (select r.thread_id, r.id, r.public_id, r.created_at
                    from responses r
                   where r.key_id = :keyId
                     and (r.created_at, r.id) < (:beforeAt, :beforeId)
                   order by r.created_at desc, r.id desc
                   limit +:readsMax) last) newest
    join threads t on t.id = newest.thread_id
   where newest.place = 1
     and t.public_id is not null
     and t.deleted_at_ms is null
     and t.organization_id = :organizationId
     and t.key_id = :keyId
     and not exists (select 1
                       from responses later
                      where later.thread_id = t.id
                        and (later.created_at, later.id) >= (:beforeAt, :beforeId))
   order by newest.created_at desc, newest.id desc
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
