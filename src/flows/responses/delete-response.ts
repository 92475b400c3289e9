// DELETE /v1/responses/{response_id}. @spec endpoints/delete-responses-id, states-and-transitions
import { notFound } from "../../contract/errors.ts";
import type { DeletedResponse } from "../../contract/resources.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { responseIdOf } from "../path-ids.ts";
import { stopResponse } from "../run/stop-response.ts";

/** Deletes a response; a running one is cancelled first. Repeating it is not an error for its owner. */
export async function deleteResponse(
  services: Services & Pick<Capacity, "runs">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const responseId = responseIdOf(context);
  // The response is read only while it runs: an unreadable response can still be deleted.
  const { store, nodes, runs } = services;
  const isRunning = runs.find(responseId) !== undefined || (await nodes?.requestStop({ caller, responseId }));
  if (isRunning === true) await stopResponse(services, { caller, responseId });
  if (!(await store.deleteResponse({ caller, responseId }))) throw notFound();
  const body: DeletedResponse = { id: responseId, object: "response.deleted", deleted: true };
  return { kind: "json", body };
}
