// POST /v1/responses/{response_id}/cancel: works on any response the calling key created.
// @spec endpoints/post-responses-id-cancel
import { notFound } from "../../contract/errors.ts";
import { presentResponse } from "../../core/turn/present.ts";
import type { Flow } from "../flow.ts";
import { responseIdOf } from "../path-ids.ts";
import { stopTurn } from "../run/stop-turn.ts";

/** Stops a running response and replies with it as `cancelled`; replies with a finished one unchanged. */
export const cancelResponse: Flow = async (gateway, context, { caller }) => {
  const turn = await stopTurn(gateway, caller, responseIdOf(context));
  if (turn === null) throw notFound();
  return { kind: "json", body: presentResponse(turn) };
};
