// DELETE /v1/conversations/{conversation_id}. @spec endpoints/delete-conversations-id
import { notFound } from "../../contract/errors.ts";
import type { DeletedConversation } from "../../contract/resources.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Flow } from "../flow.ts";
import type { Gateway } from "../gateway.ts";
import { conversationIdOf } from "../path-ids.ts";
import type { Run } from "../run/run.ts";

/**
 * Deletes a conversation with its content and cancels its running turns. Repeating it is not an error for its owner.
 */
export const deleteConversation: Flow = async (gateway, context, { caller }) => {
  const conversationId = conversationIdOf(context);
  if (!(await gateway.services.store.deleteConversation({ caller, conversationId }))) throw notFound();
  await stopDeletedTurns(gateway, caller);
  await gateway.services.nodes?.requestStopOfDeleted({ caller });
  const body: DeletedConversation = { id: conversationId, object: "conversation.deleted", deleted: true };
  return { kind: "json", body };
};

/**
 * Stops the running turns of what was deleted: they would go on costing money, and no one could read or cancel them.
 */
async function stopDeletedTurns(gateway: Gateway, caller: Caller): Promise<void> {
  const stopIfGone = async (run: Run) => {
    const status = await gateway.services.store.readStatus({ caller, responseId: run.head.id });
    if (status === null) run.stop("cancelled");
  };
  const runs = await gateway.runs.ofKeyOnceBegun(caller.keyId);
  await Promise.all(runs.map(stopIfGone));
}
