// Begins a planned response and starts its run. @spec endpoints/post-responses, states-and-transitions
import { notFound } from "../../contract/errors.ts";
import { SMALL_BODY_BYTES } from "../../core/reading/json-body.ts";
import type { RunningStatus } from "../../contract/statuses.ts";
import type { Services } from "../../ports/services.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { BeginOutcome, ResponseBegin } from "../../ports/store/responses.ts";
import { assertNotDraining } from "../access/admit.ts";
import { revokedKeyError } from "../access/authenticate.ts";
import { drawTokens } from "../access/drawn-allowances.ts";
import { openStreamsMax, responsesAtOnce } from "../access/limits-in-force.ts";
import type { DrawnTokens, HistoryReservation, HistorySize } from "../run/running-response.ts";
import { assertSameClaim } from "../claims.ts";
import type { Capacity } from "../gateway.ts";
import { endUserOf, labelOf } from "../response-subjects.ts";
import { planDearestHold, planFirstHold, shortageError } from "../money/first-hold.ts";
import { SpendingMeter } from "../money/spending-meter.ts";
import { Run } from "../run/run.ts";
import { type RunNeeds, runResponse } from "../run/run-response.ts";
import type { Slot } from "../run/slots.ts";
import type { Reply } from "../request-context.ts";
import type { Planned } from "./plan-response.ts";
import type { Create, CreateReply } from "./read-create.ts";
import { replayResponse } from "./replay-response.ts";
import { streamRun } from "./stream-reply.ts";
import { waitReply } from "./wait-reply.ts";

/** What a create uses. */
export type CreateNeeds = RunNeeds &
  Pick<
    Capacity,
    "isMember" | "renewMembership" | "lostResponses" | "allowances" | "openStreams" | "holdsAhead" | "outputs"
  >;

/**
 * Stores the response, its claim and its first hold in one transaction; from then on it runs, whether anyone reads it
 * or not. Null when the calls that its plan relies on have changed: it has to be planned again. Throws 401
 * `invalid_api_key` for a revoked key, the uniform 404, the 409s of an Idempotency-Key, 429 `stream_limit_exceeded` and
 * those of a shortage, 503 `gateway_overloaded`.
 */
export async function beginResponse(
  services: CreateNeeds,
  create: Create,
  planned: Planned,
): Promise<CreateReply | null> {
  const { admitted, requestId, request, claim } = create;
  const { caller } = admitted;
  const { plan, modelSet, placement, targets } = planned;
  const firstHold = targets === null ? planFirstHold(modelSet, plan) : planDearestHold(modelSet, plan, targets.ranked);
  const capacity = await takeCapacity(services, create, planned);
  const outcome = await beginFunded(services, {
    caller,
    head: plan.head,
    status: capacity.status,
    placement,
    calls: plan.calls,
    streamed: request.stream,
    claim,
    requestId,
    endUser: plan.endUserHash === null ? null : endUserOf(plan.endUserHash),
    label: labelOf(plan.head.metadata, services.metadataKey),
    funds: firstHold === null ? null : firstHold.funds,
  }).catch((error: unknown) => {
    if (error instanceof StoreError && error.kind === "unavailable")
      services.lostResponses.noteUncertainBegin(plan.head.id);
    capacity.release();
    throw error;
  });
  if (outcome.kind === "begun") {
    const meter =
      firstHold === null
        ? null
        : new SpendingMeter(services, {
            caller,
            plan,
            firstHold,
            heldNano: outcome.heldNano ?? firstHold.funds.holdNano,
          });
    return start(services, create, { planned, capacity, meter });
  }
  capacity.release();
  switch (outcome.kind) {
    case "changed":
      return null;
    case "claimed":
      // Another request with the same key began while this one was being planned: this one is its retry.
      return replayResponse(services, create, assertSameClaim(outcome.earlier, caller, claim));
    case "shortage":
      throw shortageError(outcome.shortage);
    case "revoked":
      throw revokedKeyError();
    case "gone":
      throw notFound();
    default:
      return outcome satisfies never;
  }
}

/** Starts the run of a response that is stored as begun, and its reader. */
function start(
  services: CreateNeeds,
  { admitted, request, isLong, isConnected }: Create,
  begun: { readonly planned: Planned; readonly capacity: ResponseCapacity; readonly meter: SpendingMeter | null },
): CreateReply {
  const { plan, modelSet, replan, targets } = begun.planned;
  const { head } = plan;
  const provider = modelSet.providers.get(plan.model.provider);
  const { stream, includeObfuscation } = request;
  const { slot, tokens, history, status, closeStream, endBeginning } = begun.capacity;
  const run = new Run({ caller: admitted.caller, head, status, isStreamed: stream, isLong });
  services.runs.add(run);
  const isStopped = endBeginning();
  // The reader watches before the run starts, so that it misses no event.
  const reply = stream ? streamRun(services, run, { includeObfuscation, closeStream }) : waitReply(services, run);
  const outputReservation = services.outputs.open({
    owner: admitted.caller,
    isRead: isConnected,
    giveWay: () => run.stop("gave_way"),
  });
  const released = releaseWhenSent(reply, outputReservation.keepForReader());
  void runResponse(services, {
    run,
    plan,
    replan,
    targets,
    provider,
    slot,
    tokens,
    history,
    meter: begun.meter,
    outputReservation,
  });
  if (isStopped) run.stop("shutdown");
  return { responseId: head.id, reply: released, ended: run.ended };
}

/**
 * Begins a response. While money is short it tries again, as long as running responses give back what they hold ahead
 * of need.
 */
async function beginFunded(
  { store, holdsAhead }: Pick<Services, "store"> & Pick<Capacity, "holdsAhead">,
  response: ResponseBegin,
): Promise<BeginOutcome> {
  for (;;) {
    const outcome = await store.beginResponse(response);
    if (outcome.kind !== "shortage" || !(await holdsAhead.reclaim(response.caller, outcome.shortage))) return outcome;
  }
}

/**
 * What a response occupies until it has begun: a slot or a place in the queue, tokens, an open stream, and its count in
 * the drain. Its run then keeps all but the last. Its credits are not here: they are the hold (flows/money).
 */
interface ResponseCapacity {
  readonly slot: Slot;
  /** Null: neither key nor organization has a limit. */
  readonly tokens: DrawnTokens | null;
  /** Null: what it holds of a history is short. */
  readonly history: HistoryReservation | null;
  readonly status: RunningStatus;
  closeStream(): void;
  /** Called when the response has begun: from now on the drain waits for its run. True when it is to stop at once. */
  endBeginning(): boolean;
  /** Called when the response did not begin: gives everything back. */
  release(): void;
}

/**
 * Takes everything that a response occupies, or nothing. Throws 429 `stream_limit_exceeded` or `rate_limit_exceeded`,
 * 503 `gateway_overloaded`.
 */
async function takeCapacity(
  services: CreateNeeds,
  { admitted, request, openBodyReservation }: Create,
  { plan, historySize }: Planned,
): Promise<ResponseCapacity> {
  // A process that stood still may be taken for dead: what it begins would be failed, and its key be used. Before the
  // response counts as beginning, since a node that joins again stops all that do.
  if (!services.isMember()) await services.renewMembership();
  // Checked again: the body may have taken long, and a drain that saw nothing beginning does not wait.
  assertNotDraining(services);
  const { caller, organization, keyLimits } = admitted;
  const endBeginning = services.runs.beginning(plan.head.id, caller.keyId);
  let closeStream = (): void => {};
  let slot: Slot | null = null;
  let history: HistoryReservation | null = null;
  try {
    history = reserveHistory(openBodyReservation, historySize);
    if (request.stream) {
      closeStream = await services.openStreams.open(caller, openStreamsMax(services.limits, organization));
    }
    const taken = services.runs.slots.take(caller, responsesAtOnce(organization, keyLimits));
    slot = taken;
    const tokens = await drawTokens(services, admitted, plan);
    return {
      slot: taken,
      tokens,
      history,
      status: taken.isQueued ? "queued" : "in_progress",
      closeStream,
      endBeginning,
      release() {
        void tokens?.settle(0);
        history?.reservation.shrinkTo(0);
        taken.release();
        closeStream();
        endBeginning();
      },
    };
  } catch (error) {
    history?.reservation.shrinkTo(0);
    slot?.release();
    closeStream();
    endBeginning();
    throw error;
  }
}

/** Reserves memory for a history; null when it is short. Throws 503 `gateway_overloaded`. */
function reserveHistory(
  openBodyReservation: Create["openBodyReservation"],
  { sent, kept }: HistorySize,
): HistoryReservation | null {
  if (sent + kept <= SMALL_BODY_BYTES) return null;
  const reservation = openBodyReservation();
  reservation.reserve(sent + kept);
  return { reservation, sent, kept };
}

/** The same reply, which calls `release` when it has been sent; called at once when the reply rejects. */
function releaseWhenSent(reply: Reply | Promise<Reply>, release: () => void): Reply | Promise<Reply> {
  if (!(reply instanceof Promise)) return { ...reply, onSent: release };
  return reply.then(
    (settled) => ({ ...settled, onSent: release }),
    (error: unknown) => {
      release();
      throw error;
    },
  );
}
