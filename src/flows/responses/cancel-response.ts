// POST /v1/responses/{response_id}/cancel: works on any response the calling key created.
// @spec endpoints/post-responses-id-cancel
import { notFound } from "../../contract/errors.ts";
import type { Flow } from "../flow.ts";
import { responseIdOf } from "../path-ids.ts";
import { stopTurn } from "../run/stop-turn.ts";
import { readStoredTurn, replyWith } from "./stored-response.ts";

/** Stops a running response and replies with it as `cancelled`; replies with a finished one unchanged. */
export const cancelResponse: Flow = async (gateway, context, { caller }) => {
  const query = { caller, responseId: responseIdOf(context) };
  if (!(await stopTurn(gateway, query))) throw notFound();
  const stored = await readStoredTurn(gateway.services, context, query);
  if (stored === null) throw notFound();
  return replyWith(stored);
};
