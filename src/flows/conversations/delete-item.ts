// DELETE /v1/conversations/{conversation_id}/items/{item_id}. @spec endpoints/delete-conversations-id-items-id
import { invalidInput, notFound } from "../../contract/errors.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { presentConversation } from "./conversation-reply.ts";
import { conversationIdOf, itemIdOf } from "../path-ids.ts";

/** Removes an item that a client added and replies with the conversation. Throws 400 for an item of a response. */
export async function deleteItem(
  { store }: Pick<Services, "store">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const conversationId = conversationIdOf(context);
  const outcome = await store.deleteItem({ caller, conversationId, itemId: itemIdOf(context) });
  switch (outcome.kind) {
    case "missing":
      throw notFound();
    case "of_response":
      throw invalidInput(
        "item_id",
        "This item belongs to a response and cannot be deleted alone: delete the response.",
      );
    case "deleted":
      return { kind: "json", body: presentConversation(outcome.conversation) };
    default:
      return outcome satisfies never;
  }
}
