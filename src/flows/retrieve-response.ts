// GET /v1/responses/{response_id}: the current state, not a snapshot. @spec endpoints/get-responses
import { invalidInput, notFound } from "../contract/errors.ts";
import { readIncludeOfQuery } from "../core/reading/include-list.ts";
import { presentResponse } from "../core/turn/present.ts";
import { admit } from "./admission/admit.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { responseIdOf } from "./path-ids.ts";

/** Answers with the response object. Refuses 400 an unrecognised include value or another query parameter, else the uniform 404. */
export async function retrieveResponse(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { caller } = await admit(gateway, exchange);
  for (const name of exchange.query.keys()) {
    if (name !== "include")
      throw invalidInput(name, `The query parameter ${JSON.stringify(name)} is not supported; only include is.`);
  }
  const includesEncryptedContent = readIncludeOfQuery(exchange.query.get("include"));
  const turn = await gateway.world.store.readTurn({ caller, responseId: responseIdOf(exchange) });
  if (turn === null) throw notFound();
  return { kind: "json", body: presentResponse(turn, includesEncryptedContent) };
}
