// POST /v1/responses/{response_id}/cancel: works on any response the calling key created.
// @spec endpoints/post-responses-id-cancel
import { notFound } from "../../contract/errors.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { responseIdOf } from "../path-ids.ts";
import { stopResponse } from "../run/stop-response.ts";
import { readVisible, replyWith } from "./stored-response.ts";

/** Stops a running response and replies with it as `cancelled`; replies with a finished one unchanged. */
export async function cancelResponse(
  services: Services & Pick<Capacity, "runs">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const query = { caller, responseId: responseIdOf(context) };
  if (!(await stopResponse(services, query))) throw notFound();
  const stored = await readVisible(services, context, query);
  if (stored === null) throw notFound();
  return replyWith(stored);
}
