// GET /v1/conversations/{conversation_id}/items/{item_id}. @spec endpoints/get-conversations-items-item
import { notFound } from "../contract/errors.ts";
import { presentStoredItem } from "../core/history/item-list.ts";
import { readIncludeOfQuery } from "../core/reading/include-list.ts";
import { admit } from "./admission/admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf, itemIdOf } from "./path-ids.ts";

/** Answers with one item; 500 `item_unreadable` when it is stored but can't be read. */
export async function retrieveItem(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  const includes = readIncludeOfQuery(exchange.query.get("include"));
  const conversationId = conversationIdOf(exchange);
  const stored = await gateway.world.store.readItem({ caller, conversationId, itemId: itemIdOf(exchange) });
  if (stored === null) throw notFound();
  return { kind: "json_text", text: presentStoredItem(stored, includes) };
}
