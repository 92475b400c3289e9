// GET /v1/conversations/{conversation_id}. @spec endpoints/get-conversations
import { notFound } from "../contract/errors.ts";
import { admit } from "./admission/admit.ts";
import { presentConversation } from "./conversation-answers.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf } from "./path-ids.ts";

/** Answers with the conversation, or the uniform 404. */
export async function retrieveConversation(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  const record = await gateway.world.store.readConversation({ caller, conversationId: conversationIdOf(exchange) });
  if (record === null) throw notFound();
  return { kind: "json", body: presentConversation(record) };
}
