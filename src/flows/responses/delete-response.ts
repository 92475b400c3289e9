// DELETE /v1/responses/{response_id}. @spec endpoints/delete-responses-id, states-and-transitions
import { notFound } from "../../contract/errors.ts";
import type { DeletedResponse } from "../../contract/resources.ts";
import type { Flow } from "../flow.ts";
import { responseIdOf } from "../path-ids.ts";
import { stopTurn } from "../run/stop-turn.ts";

/** Deletes a response; a running one is cancelled first. Repeating it is not an error for its owner. */
export const deleteResponse: Flow = async (gateway, context, { caller }) => {
  const responseId = responseIdOf(context);
  // The turn is read only while it runs: an unreadable response can still be deleted.
  const { store, nodes } = gateway.services;
  const isRunning = gateway.runs.find(responseId) !== undefined || (await nodes?.requestStop({ caller, responseId }));
  if (isRunning === true) await stopTurn(gateway, { caller, responseId });
  if (!(await store.deleteResponse({ caller, responseId }))) throw notFound();
  const body: DeletedResponse = { id: responseId, object: "response.deleted", deleted: true };
  return { kind: "json", body };
};
