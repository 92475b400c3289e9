// GET /v1/conversations/{conversation_id}. @spec endpoints/get-conversations-id
import { notFound } from "../../contract/errors.ts";
import type { Flow } from "../flow.ts";
import { presentConversation } from "./conversation-reply.ts";
import { conversationIdOf } from "../path-ids.ts";

/** Replies with the conversation. Throws the uniform 404. */
export const retrieveConversation: Flow = async (gateway, context, { caller }) => {
  const record = await gateway.services.store.readConversation({ caller, conversationId: conversationIdOf(context) });
  if (record === null) throw notFound();
  return { kind: "json", body: presentConversation(record) };
};
