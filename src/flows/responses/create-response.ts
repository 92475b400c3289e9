// POST /v1/responses, the whole story once its caller is admitted. @spec endpoints/post-responses
import type { Admitted } from "../access/admit.ts";
import { findEarlierRequest, untilUnchanged } from "../claims.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";
import { beginResponse, type CreateNeeds } from "./begin-response.ts";
import { planResponse } from "./plan-response.ts";
import { type Create, type CreateReply, paymentFirst, receiveCreate } from "./read-create.ts";
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
  const readCreate = await paymentFirst(admitted, () => receiveCreate(services, context, admitted));
  const { reply, responseId } = await services.admission.during(admitted.caller, async () => {
    const create = await paymentFirst(admitted, readCreate);
    const replying = await replayOrBegin(services, create);
    if (replying.ended !== null) context.keepRoom(replying.ended, create.bytesRead);
    return replying;
  });
  context.responseId = responseId;
  return reply;
}

/** Between the stages of a long request other requests are served. */
function replayOrBegin(services: CreateNeeds, create: Create): Promise<CreateReply> {
  const { admitted, claim, isLong } = create;
  const { caller, unpaid } = admitted;
  return untilUnchanged({
    claim,
    async find() {
      const earlier = await paymentFirst(admitted, () => findEarlierRequest(services, caller, claim));
      if (earlier === null && unpaid !== null) throw unpaid;
      return earlier;
    },
    replay: (earlier) => replayResponse(services, create, earlier),
    async plan() {
      if (isLong) await yieldToEventLoop();
      return planResponse(services, create);
    },
    async store(planned) {
      if (isLong) await yieldToEventLoop();
      return beginResponse(services, create, planned);
    },
  });
}
