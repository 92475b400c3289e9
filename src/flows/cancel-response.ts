// POST /v1/responses/{response_id}/cancel: works on any response the calling key created. @spec endpoints/post-responses-cancel
import { notFound } from "../contract/errors.ts";
import { presentResponse } from "../core/turn/present.ts";
import { admit } from "./admission/admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { responseIdOf } from "./path-ids.ts";
import { stopTurn } from "./run/stop-turn.ts";

/** Stops a running response and answers with it as `cancelled`; a finished one is answered unchanged. */
export async function cancelResponse(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  const turn = await stopTurn(gateway, caller, responseIdOf(exchange));
  if (turn === null) throw notFound();
  return { kind: "json", body: presentResponse(turn, turn.head.includesEncryptedContent) };
}
