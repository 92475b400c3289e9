// GET /v1/responses/{response_id}: the current state, not a snapshot. @spec endpoints/get-responses-id
import { invalidInput, notFound } from "../../contract/errors.ts";
import { readIncludeOfQuery } from "../../core/reading/include-list.ts";
import type { Flow } from "../flow.ts";
import { responseIdOf } from "../path-ids.ts";
import { readStoredTurn, replyWith } from "./stored-response.ts";

/**
 * Replies with the response object. Throws 400 for an unknown include value or query parameter, and the uniform 404.
 */
export const retrieveResponse: Flow = async (gateway, context, { caller }) => {
  for (const name of context.query.keys()) {
    if (name !== "include")
      throw invalidInput(name, `The query parameter ${JSON.stringify(name)} is not supported; only include is.`);
  }
  const includesEncryptedContent = readIncludeOfQuery(context.query.get("include"));
  const stored = await readStoredTurn(gateway.services, context, { caller, responseId: responseIdOf(context) });
  if (stored === null) throw notFound();
  return replyWith(stored, includesEncryptedContent);
};
