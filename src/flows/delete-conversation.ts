// DELETE /v1/conversations/{conversation_id}. @spec endpoints/delete-conversations
import { notFound } from "../contract/errors.ts";
import type { DeletedConversation } from "../contract/resources.ts";
import type { Caller } from "../ports/histories.ts";
import { admit } from "./admission/admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf } from "./path-ids.ts";
import type { Run } from "./run/run.ts";

/** Deletes a conversation with all in it; its running turns are cancelled. Repeated by its owner it is not an error. */
export async function deleteConversation(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  const conversationId = conversationIdOf(exchange);
  if (!(await gateway.world.store.deleteConversation({ caller, conversationId }))) throw notFound();
  await stopUnreadable(gateway, caller);
  const body: DeletedConversation = { id: conversationId, object: "conversation.deleted", deleted: true };
  return { kind: "json", body };
}

/** Stops the turns that were running in what was deleted: nobody could read, or cancel, what they would still cost. */
async function stopUnreadable(gateway: Gateway, caller: Caller): Promise<void> {
  const stopIfGone = async (run: Run) => {
    const turn = await gateway.world.store.readTurn({ caller, responseId: run.head.id });
    if (turn === null) run.stop("cancelled");
  };
  await Promise.all(gateway.runs.ofKey(caller.keyId).map(stopIfGone));
}
