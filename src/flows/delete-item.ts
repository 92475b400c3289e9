// DELETE /v1/conversations/{conversation_id}/items/{item_id}. @spec endpoints/delete-conversations-items-item
import { invalidInput, notFound } from "../contract/errors.ts";
import { admit } from "./admission/admit.ts";
import { presentConversation } from "./conversation-answers.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf, itemIdOf } from "./path-ids.ts";

/** Removes an item that a client added and answers with the conversation. An item of a response is refused with a 400. */
export async function deleteItem(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  const conversationId = conversationIdOf(exchange);
  const outcome = await gateway.world.store.deleteItem({ caller, conversationId, itemId: itemIdOf(exchange) });
  switch (outcome.kind) {
    case "missing":
      throw notFound();
    case "of_response":
      throw invalidInput(
        "item_id",
        "This item belongs to a response and cannot be removed by itself: delete the response.",
      );
    case "deleted":
      return { kind: "json", body: presentConversation(outcome.conversation) };
    default:
      return outcome satisfies never;
  }
}
