// POST /v1/responses, the whole story once its caller is admitted. @spec endpoints/post-responses
import type { Admitted } from "../access/admit.ts";
import { PlanAttempts, findEarlierRequest } from "../claims.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";
import { beginResponse, type CreateNeeds } from "./begin-response.ts";
import { planResponse } from "./plan-response.ts";
import { type Create, type CreateReply, paymentFirst, readCreate, receiveBody } from "./read-create.ts";
import { replayResponse } from "./replay-response.ts";

/**
 * Creates a response and replies with its response object, or with the stream of its events. Missing payment is
 * reported before anything wrong with the request; a retry gets the earlier response all the same.
 */
export async function createResponse(
  services: CreateNeeds,
  context: RequestContext,
  admitted: Admitted,
): Promise<Reply> {
  const received = await paymentFirst(admitted, receiveBody(services, context));
  const { reply, responseId } = await services.admission.during(admitted.caller, async () => {
    const create = await paymentFirst(admitted, readCreate(services, context, admitted, received));
    const replying = await replayOrBegin(services, create);
    if (replying.ended !== null) context.keepBodyReserved(replying.ended, create.bytesRead);
    return replying;
  });
  context.responseId = responseId;
  return reply;
}

/**
 * Replays the response of an earlier request with the same Idempotency-Key, else plans and begins one. Between the stages
 * of a long request other requests are served.
 */
async function replayOrBegin(services: CreateNeeds, create: Create): Promise<CreateReply> {
  const { admitted, claim, isLong } = create;
  const attempts = new PlanAttempts(claim);
  for (;;) {
    attempts.begin();
    const earlier = await paymentFirst(admitted, findEarlierRequest(services, admitted.caller, claim));
    if (earlier !== null) return replayResponse(services, create, earlier);
    if (admitted.unpaid !== null) throw admitted.unpaid;
    attempts.assertMayPlan();
    if (isLong) await yieldToEventLoop();
    const planned = await attempts.plan(planResponse(services, create));
    if (planned === null) continue;
    if (isLong) await yieldToEventLoop();
    const begun = await beginResponse(services, create, planned);
    if (begun !== null) return begun;
  }
}
