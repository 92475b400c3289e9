// GET /v1/responses/{response_id}: the current state, not a snapshot. @spec endpoints/get-responses-id
import { invalidInput, notFound } from "../../contract/errors.ts";
import { readIncludeOfQuery } from "../../core/reading/include-list.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { responseIdOf } from "../path-ids.ts";
import { readVisible, replyWith } from "./stored-response.ts";

/**
 * Replies with the response object. Throws 400 for an unknown include value or query parameter, and the uniform 404.
 */
export async function retrieveResponse(
  services: Pick<Services, "store">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  for (const name of context.query.keys()) {
    if (name !== "include")
      throw invalidInput(name, `The query parameter ${JSON.stringify(name)} is not supported; only include is.`);
  }
  const includesEncryptedContent = readIncludeOfQuery(context.query.get("include"));
  const stored = await readVisible(services, context, { caller, responseId: responseIdOf(context) });
  if (stored === null) throw notFound();
  return replyWith(stored, includesEncryptedContent);
}
