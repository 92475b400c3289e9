// The reply to a retry: the first request's response, in its current state. @spec limits (Idempotency rules)
import { isTerminal } from "../../contract/statuses.ts";
import { assertWaitIsOver, deletedResultError, inProgressError } from "../../core/idempotency/verdict.ts";
import { presentResponse } from "../../core/turn/present.ts";
import type { Turn } from "../../core/turn/turn.ts";
import type { Services } from "../../ports/services.ts";
import type { EarlierClaim } from "../../ports/store/claims.ts";
import { openStreamFor } from "../access/admit.ts";
import { findEarlierRequest } from "../claims.ts";
import { followElsewhere } from "../nodes/run-elsewhere.ts";
import type { Gateway } from "../gateway.ts";
import type { Reply } from "../request-context.ts";
import type { Create, CreateReply } from "./creating.ts";
import { type Follow, streamReplay } from "./stream-reply.ts";

/**
 * Replies with the response that an earlier request with the same key and body created. The reply rejects with 409:
 * `idempotency_in_progress` while the earlier request may still be waiting for its own reply or is being withdrawn,
 * `idempotency_conflict` when its response was deleted.
 */
export function replayResponse(gateway: Gateway, create: Create, earlier: EarlierClaim): CreateReply {
  const { result, claimedAtMs } = earlier;
  if (result.kind !== "response") throw new Error(`a create claimed ${result.kind}`);
  return { responseId: result.responseId, reply: replay(gateway, create, { ...result, claimedAtMs }), ended: null };
}

interface EarlierCreate {
  readonly responseId: string;
  readonly streamed: boolean;
  readonly claimedAtMs: number;
}

async function replay(gateway: Gateway, create: Create, earlier: EarlierCreate): Promise<Reply> {
  const { services, runs } = gateway;
  const { stream, includeObfuscation } = create.request;
  const { responseId } = earlier;
  const turn = await readEarlierTurn(services, create, responseId);
  if (!isTerminal(turn.status)) {
    const { limits, clock } = services;
    const waitSeconds = earlier.streamed ? limits.stream_ceiling_seconds : limits.non_streaming_wait_seconds;
    assertWaitIsOver(earlier.claimedAtMs, clock.nowMs(), waitSeconds);
  }
  if (!stream) return { kind: "json", body: presentResponse(turn) };
  const run = runs.find(responseId);
  let latest = turn;
  let follow: Follow | null = run === undefined ? null : () => run.endedInTime();
  if (run === undefined && !isTerminal(turn.status)) {
    // It ended between the two look-ups, another node runs it, or its end could not be stored.
    latest = await readEarlierTurn(services, create, responseId);
    const query = { caller: create.admitted.caller, responseId };
    if (services.nodes !== null) follow = (signal) => followElsewhere(services, query, signal);
  }
  const closeStream = await openStreamFor(gateway, create.admitted);
  return streamReplay(gateway, latest, follow, { includeObfuscation, closeStream });
}

/** The turn of the earlier request as it is now. Throws 409 when it was deleted or withdrawn. */
async function readEarlierTurn(services: Services, { admitted, claim }: Create, responseId: string): Promise<Turn> {
  const { caller } = admitted;
  const turn = await services.store.readTurn({ caller, responseId });
  if (turn !== null) return turn;
  // Without its claim the first request was withdrawn a moment ago, and a retry may follow. With it, its response was
  // deleted.
  throw (await findEarlierRequest(services, caller, claim)) === null ? inProgressError() : deletedResultError();
}
