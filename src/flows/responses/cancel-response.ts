// POST /v1/responses/{response_id}/cancel: works on any response the calling key created.
// @spec endpoints/post-responses-id-cancel
import { notFound } from "../../contract/errors.ts";
import { presentResponse } from "../../core/turn/present.ts";
import { admit } from "../access/admit.ts";
import type { RequestContext, Reply } from "../request-context.ts";
import type { Gateway } from "../gateway.ts";
import { responseIdOf } from "../path-ids.ts";
import { stopTurn } from "../run/stop-turn.ts";

/** Stops a running response and replies with it as `cancelled`; replies with a finished one unchanged. */
export async function cancelResponse(gateway: Gateway, context: RequestContext): Promise<Reply> {
  const { caller } = await admit(gateway, context);
  const turn = await stopTurn(gateway, caller, responseIdOf(context));
  if (turn === null) throw notFound();
  return { kind: "json", body: presentResponse(turn) };
}
