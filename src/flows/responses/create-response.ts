// POST /v1/responses, the whole story once its caller is admitted. @spec endpoints/post-responses
import type { Flow } from "../flow.ts";
import { findEarlierRequest } from "../claims.ts";
import type { Gateway } from "../gateway.ts";
import { untilUnchanged } from "../until-unchanged.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";
import { beginResponse } from "./begin-response.ts";
import type { Create, CreateReply } from "./creating.ts";
import { type Planned, planResponse } from "./plan-response.ts";
import { receiveCreate } from "./read-create.ts";
import { replayResponse } from "./replay-response.ts";

/** Runs one model turn and replies with its response object, or with the stream of its events. */
export const createResponse: Flow = async (gateway, context, admitted) => {
  const readCreate = await receiveCreate(gateway, context, admitted);
  const { reply, responseId } = await gateway.admission.during(admitted.caller, async () => {
    const create = await readCreate();
    if (create.earlier !== null) return replayResponse(gateway, create, create.earlier);
    if (admitted.unpaid !== null) throw admitted.unpaid;
    const replying = await untilUnchanged(() => planAndBegin(gateway, create));
    if (replying.ended !== null) context.keepRoom(replying.ended, create.bytesRead);
    return replying;
  });
  context.responseId = responseId;
  return reply;
};

/**
 * Null when the history has changed between plan and begin. Between the stages of a long request other requests are
 * served.
 */
async function planAndBegin(gateway: Gateway, create: Create): Promise<CreateReply | null> {
  if (create.isLong) await yieldToEventLoop();
  const planned = await planOrReplay(gateway, create);
  if ("reply" in planned) return planned;
  if (create.isLong) await yieldToEventLoop();
  return beginResponse(gateway, create, planned);
}

/**
 * The plan of a create. It may fail because a concurrent request with the same key has taken the calls: then this one is
 * its retry, or planned once more if the other was withdrawn meanwhile.
 */
async function planOrReplay(gateway: Gateway, create: Create): Promise<Planned | CreateReply> {
  for (let tries = 1; ; tries++) {
    try {
      return await planResponse(gateway, create);
    } catch (error) {
      const earlier = await findEarlierRequest(gateway.services, create.admitted.caller, create.claim);
      if (earlier !== null) return replayResponse(gateway, create, earlier);
      if (create.claim === null || tries === 2) throw error;
    }
  }
}
