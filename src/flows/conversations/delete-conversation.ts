// DELETE /v1/conversations/{conversation_id}. @spec endpoints/delete-conversations-id
import { notFound } from "../../contract/errors.ts";
import type { DeletedConversation } from "../../contract/resources.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { conversationIdOf } from "../path-ids.ts";
import type { Run } from "../run/run.ts";

/**
 * Deletes a conversation with its content and cancels its running responses. Repeating it is not an error for its
 * owner.
 */
export async function deleteConversation(
  services: Pick<Services, "store"> & Pick<Capacity, "runs">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const conversationId = conversationIdOf(context);
  if (!(await services.store.deleteConversation({ caller, conversationId }))) throw notFound();
  await stopDeletedResponses(services, caller);
  const body: DeletedConversation = { id: conversationId, object: "conversation.deleted", deleted: true };
  return { kind: "json", body };
}

/**
 * Stops the running responses of what was deleted: they would go on costing money, and no one could read or cancel
 * them. Other nodes find theirs by themselves (flows/nodes/membership.ts).
 */
async function stopDeletedResponses(
  { store, runs }: Pick<Services, "store"> & Pick<Capacity, "runs">,
  caller: Caller,
): Promise<void> {
  const stopIfGone = async (run: Run) => {
    const status = await store.readStatus({ caller, responseId: run.head.id });
    if (status === null) run.stop("cancelled");
  };
  await Promise.all((await runs.ofKeyOnceBegun(caller.keyId)).map(stopIfGone));
}
