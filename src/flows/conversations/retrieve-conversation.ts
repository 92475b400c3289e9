// GET /v1/conversations/{conversation_id}. @spec endpoints/get-conversations-id
import { notFound } from "../../contract/errors.ts";
import { admit } from "../access/admit.ts";
import { presentConversation } from "./conversation-reply.ts";
import type { RequestContext, Reply } from "../request-context.ts";
import type { Gateway } from "../gateway.ts";
import { conversationIdOf } from "../path-ids.ts";

/** Replies with the conversation. Throws the uniform 404. */
export async function retrieveConversation(gateway: Gateway, context: RequestContext): Promise<Reply> {
  const { caller } = await admit(gateway, context);
  const record = await gateway.services.store.readConversation({ caller, conversationId: conversationIdOf(context) });
  if (record === null) throw notFound();
  return { kind: "json", body: presentConversation(record) };
}
