// DELETE /v1/responses/{response_id}. @spec states-and-transitions (Deletion of a response)
import { notFound } from "../contract/errors.ts";
import type { DeletedResponse } from "../contract/resources.ts";
import { admit } from "./admission/admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { responseIdOf } from "./path-ids.ts";
import { stopTurn } from "./run/stop-turn.ts";

/** Deletes a response; a running one is cancelled first. Repeated by its owner it is not an error. */
export async function deleteResponse(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  const responseId = responseIdOf(exchange);
  // Only what runs has to be looked at: a response that cannot be read can be deleted all the same.
  if (gateway.runs.find(responseId) !== undefined) await stopTurn(gateway, caller, responseId);
  if (!(await gateway.world.store.deleteResponse({ caller, responseId }))) throw notFound();
  const body: DeletedResponse = { id: responseId, object: "response.deleted", deleted: true };
  return { kind: "json", body };
}
