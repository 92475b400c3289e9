// GET /v1/responses/{response_id}: the current state, not a snapshot. @spec endpoints/get-responses-id
import { invalidInput, notFound } from "../../contract/errors.ts";
import { readIncludeOfQuery } from "../../core/reading/include-list.ts";
import { presentResponse } from "../../core/turn/present.ts";
import type { Flow } from "../flow.ts";
import { responseIdOf } from "../path-ids.ts";

/**
 * Replies with the response object. Throws 400 for an unknown include value or query parameter, and the uniform 404.
 */
export const retrieveResponse: Flow = async (gateway, context, { caller }) => {
  for (const name of context.query.keys()) {
    if (name !== "include")
      throw invalidInput(name, `The query parameter ${JSON.stringify(name)} is not supported; only include is.`);
  }
  const includesEncryptedContent = readIncludeOfQuery(context.query.get("include"));
  const turn = await gateway.services.store.readTurn({ caller, responseId: responseIdOf(context) });
  if (turn === null) throw notFound();
  return { kind: "json", body: presentResponse(turn, includesEncryptedContent) };
};
