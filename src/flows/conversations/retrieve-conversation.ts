// GET /v1/conversations/{conversation_id}. @spec endpoints/get-conversations-id
import { notFound } from "../../contract/errors.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { presentConversation } from "./conversation-reply.ts";
import { conversationIdOf } from "../path-ids.ts";

/** Replies with the conversation. Throws the uniform 404. */
export async function retrieveConversation(
  { store }: Pick<Services, "store">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const record = await store.readConversation({ caller, conversationId: conversationIdOf(context) });
  if (record === null) throw notFound();
  return { kind: "json", body: presentConversation(record) };
}
