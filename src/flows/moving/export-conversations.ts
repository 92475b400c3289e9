// Reads conversations for an export, one after the other, in pages of bounded size. docs/moving-conversations.md
import { isIdOf } from "../../contract/ids.ts";
import { ITEM_LIST_LIMIT_MAX } from "../../contract/limits.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { ListedItem } from "../../core/history/item-list.ts";
import type { Store } from "../../ports/store/store.ts";
import type { OwnedConversation } from "../../ports/store/conversations.ts";

/** Histories that one statement reads to find the organization's conversations. */
const HISTORIES_READ_MAX = 1000;

type Reading = Pick<Store, "listConversations" | "listItems" | "readLinks">;

/** A conversation, then its items in order, readable or not. */
export type ExportedRecord =
  | { readonly kind: "conversation"; readonly conversation: OwnedConversation }
  | {
      readonly kind: "item";
      readonly item: ListedItem;
      /** Of an output: the id of the call that it answers, perhaps of a deleted one. Undefined: by its call_id. */
      readonly answers: string | undefined;
    };

/**
 * The conversations of an organization, or of one of its keys. A service may run on the store: what it adds meanwhile
 * may be missing, what it deletes is left out from there on.
 */
export async function* exportConversations(
  store: Reading,
  of: { readonly organizationId: string; readonly keyId: string | null },
): AsyncGenerator<ExportedRecord, void> {
  for (let after: number | null = 0; after !== null; ) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const page: Awaited<ReturnType<Reading["listConversations"]>> = await store.listConversations({
      ...of,
      after,
      readsMax: HISTORIES_READ_MAX,
    });
    for (const conversation of page.conversations) {
      yield { kind: "conversation", conversation };
      for await (const item of listAll(store, of.organizationId, conversation)) yield item;
    }
    after = page.next;
  }
}

async function* listAll(
  store: Reading,
  organizationId: string,
  { id: conversationId, keyId }: OwnedConversation,
): AsyncGenerator<ExportedRecord, void> {
  const caller = { organizationId, keyId };
  /** The readable items of the last page: the next one begins after the last of them that still is there. */
  let places: string[] = [];
  for (;;) {
    const after = places.at(-1) ?? null;
    const query = { caller, conversationId, order: "asc" as const, after, limit: ITEM_LIST_LIMIT_MAX };
    // oxlint-disable no-await-in-loop -- each page begins where the one before it ended
    const page = await store.listItems(query);
    if (page.kind === "needs_room") throw new Error("a page without a limit of room needs room");
    // Deleted meanwhile.
    if (page.kind === "missing") return;
    if (page.kind === "no_such_item") {
      places.pop();
      if (places.length > 0) continue;
      throw new AccountError(`The conversation ${conversationId} lost items while it was read; export again.`);
    }
    const itemIds = page.items.flatMap(({ id }) => (isIdOf("function_call_output", id) ? [id] : []));
    const links = itemIds.length === 0 ? [] : await store.readLinks({ caller, conversationId, itemIds });
    // oxlint-enable no-await-in-loop
    const answers = new Map(links.map((link) => [link.itemId, link.answers]));
    for (const item of page.items) yield { kind: "item", item, answers: answers.get(item.id) };
    if (!page.hasMore) return;
    places = page.items.flatMap(({ readable, id }) => (readable ? [id] : []));
  }
}
