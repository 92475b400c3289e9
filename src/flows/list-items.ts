// GET /v1/conversations/{conversation_id}/items. @spec endpoints/get-conversations-items
import { invalidInput, notFound } from "../contract/errors.ts";
import { presentItemList } from "../core/history/item-list.ts";
import { readItemPage } from "../core/reading/item-page.ts";
import { admit } from "./admission/admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf } from "./path-ids.ts";

/** Answers with a page of items. Refuses 400 an `after` that the conversation has no item for. */
export async function listItems(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  const { limit, order, after, includesEncryptedContent } = readItemPage(exchange.query);
  const conversationId = conversationIdOf(exchange);
  const page = await gateway.world.store.listItems({ caller, conversationId, order, after, limit });
  switch (page.kind) {
    case "missing":
      throw notFound();
    case "no_such_item":
      throw invalidInput("after", "after names no item of this conversation.");
    case "page":
      return { kind: "json_text", text: presentItemList(page.items, page.hasMore, includesEncryptedContent) };
    default:
      return page satisfies never;
  }
}
