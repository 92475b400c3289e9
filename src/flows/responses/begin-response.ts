// Begins a planned turn and starts its run. @spec endpoints/post-responses, states-and-transitions
import { ApiError, notFound } from "../../contract/errors.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { BeginOutcome, TurnBegin } from "../../ports/store/turns.ts";
import { assertSameClaim } from "../claims.ts";
import type { Gateway } from "../gateway.ts";
import { endUserOf, labelOf } from "../turn-subjects.ts";
import { planFirstHold, shortageError } from "../money/first-hold.ts";
import { SpendingMeter } from "../money/spending-meter.ts";
import { Run } from "../run/run.ts";
import { runTurn } from "../run/run-turn.ts";
import type { Create, CreateReply } from "./creating.ts";
import type { Planned } from "./plan-response.ts";
import { releaseWhenSent } from "./release-when-sent.ts";
import { replayResponse } from "./replay-response.ts";
import { type TurnCapacity, takeCapacity } from "./turn-capacity.ts";
import { streamRun } from "./stream-reply.ts";
import { waitReply } from "./wait-reply.ts";

/**
 * Stores the turn, its claim and its first hold in one transaction; from then on it runs, whether anyone reads it or
 * not. Null when the calls that its plan relies on have changed: it has to be planned again. Throws 401
 * `invalid_api_key` for a revoked key, the uniform 404, the 409s of an Idempotency-Key, 429 `stream_limit_exceeded` and
 * those of a shortage, 503 `gateway_overloaded`.
 */
export async function beginResponse(gateway: Gateway, create: Create, planned: Planned): Promise<CreateReply | null> {
  const { admitted, request, claim } = create;
  const { caller } = admitted;
  const { plan, offer, placement } = planned;
  const firstHold = planFirstHold(offer, plan);
  const capacity = await takeCapacity(gateway, create, plan.head.id);
  const outcome = await beginFunded(gateway, {
    caller,
    head: plan.head,
    status: capacity.status,
    placement,
    calls: plan.calls,
    streamed: request.stream,
    claim,
    endUser: plan.endUserHash === null ? null : endUserOf(plan.endUserHash),
    label: labelOf(plan.head.metadata, gateway.services.metadataKey),
    funds: firstHold === null ? null : firstHold.funds,
  }).catch((error: unknown) => {
    if (error instanceof StoreError && error.kind === "unavailable") gateway.strays.doubt(plan.head.id);
    capacity.release();
    throw error;
  });
  if (outcome.kind === "begun") {
    const meter =
      firstHold === null
        ? null
        : new SpendingMeter(gateway, {
            caller,
            plan,
            firstHold,
            heldNano: outcome.heldNano ?? firstHold.funds.holdNano,
          });
    return start(gateway, create, { planned, capacity, meter });
  }
  capacity.release();
  switch (outcome.kind) {
    case "changed":
      return null;
    case "claimed":
      // Another request with the same key began while this one was being planned: this one is its retry.
      return replayResponse(gateway, create, assertSameClaim(outcome.earlier, caller, claim));
    case "shortage":
      throw shortageError(outcome.shortage);
    case "revoked":
      throw new ApiError("invalid_api_key", "The API key is not valid: it was revoked.");
    case "gone":
      throw notFound();
    default:
      return outcome satisfies never;
  }
}

/** Starts the run of a turn that is stored as begun, and its reader. */
function start(
  gateway: Gateway,
  { admitted, request, isLong, isConnected }: Create,
  begun: { readonly planned: Planned; readonly capacity: TurnCapacity; readonly meter: SpendingMeter | null },
): CreateReply {
  const { plan, offer, replan } = begun.planned;
  const { head } = plan;
  const provider = offer.providers.get(plan.model.provider);
  const { stream, includeObfuscation } = request;
  const { slot, status, closeStream, endBeginning } = begun.capacity;
  const run = new Run({ caller: admitted.caller, head, status, isStreamed: stream, isLong });
  gateway.runs.add(run);
  endBeginning();
  // The reader watches before the run starts, so that it misses no event.
  const reply = stream ? streamRun(gateway, run, { includeObfuscation, closeStream }) : waitReply(gateway, run);
  const share = gateway.outputs.open({
    owner: admitted.caller,
    isRead: isConnected,
    giveWay: () => run.stop("gave_way"),
  });
  const released = releaseWhenSent(reply, share.keep());
  void runTurn(gateway, { run, plan, replan, provider, slot, meter: begun.meter, share });
  return { responseId: head.id, reply: released, ended: run.ended };
}

/**
 * Begins a turn. While money is short it tries again, as long as running turns give back what they hold ahead of need.
 */
async function beginFunded({ services, holdsAhead }: Gateway, turn: TurnBegin): Promise<BeginOutcome> {
  for (;;) {
    const outcome = await services.store.beginTurn(turn);
    if (outcome.kind !== "shortage" || !(await holdsAhead.reclaim(turn.caller, outcome.shortage))) return outcome;
  }
}
