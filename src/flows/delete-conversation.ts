// DELETE /v1/conversations/{conversation_id}. @spec endpoints/delete-conversations
import { notFound } from "../contract/errors.ts";
import type { DeletedConversation } from "../contract/resources.ts";
import { admit } from "./admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf } from "./path-ids.ts";

/** Deletes a conversation with all in it. Repeated by its owner it is not an error. */
export async function deleteConversation(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const caller = await admit(gateway, exchange);
  const conversationId = conversationIdOf(exchange);
  if (!(await gateway.world.store.deleteConversation({ caller, conversationId }))) throw notFound();
  const body: DeletedConversation = { id: conversationId, object: "conversation.deleted", deleted: true };
  return { kind: "json", body };
}
