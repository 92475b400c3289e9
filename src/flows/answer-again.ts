// The answer to a retry: the first request's response, as it is now. @spec limits (Idempotency rules)
import { isTerminal } from "../contract/statuses.ts";
import { checkWaitIsOver, refuseGoneResult, refuseInProgress } from "../core/accounts/replay.ts";
import type { CreateRequest } from "../core/reading/create-body.ts";
import { presentResponse } from "../core/turn/present.ts";
import type { Claim, Claimed } from "../ports/store.ts";
import { type Admitted, openStreamOf } from "./admission/admit.ts";
import { findEarlier } from "./claims.ts";
import type { Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { streamAgain } from "./stream-reply.ts";

/**
 * Answers with what an earlier request with the same key and body made. Refuses 409: `idempotency_in_progress` while that one may
 * still be waiting for its own answer or is being taken back, `idempotency_conflict` when its result was deleted.
 */
export async function answerAgain(
  gateway: Gateway,
  caller: Admitted,
  request: CreateRequest,
  claim: Claim | null,
  earlier: Claimed,
): Promise<Reply> {
  const { world, runs } = gateway;
  const { made } = earlier;
  if (made.kind !== "response") throw new Error(`a create claimed ${made.kind}`);
  const turn = await world.store.readTurn({ caller, responseId: made.responseId });
  if (turn === null) {
    // Its claim gone too, the first was taken back just now: a retry is welcome. Else its result was deleted.
    throw (await findEarlier(world, caller, claim)) === null ? refuseInProgress() : refuseGoneResult();
  }
  if (!isTerminal(turn.status)) {
    const { limits, clock } = world;
    const waitSeconds = made.streamed ? limits.stream_ceiling_seconds : limits.non_streaming_wait_seconds;
    checkWaitIsOver(earlier.claimedAtMs, clock.nowMs(), waitSeconds);
  }
  if (!request.stream) return { kind: "json", body: presentResponse(turn, turn.head.includesEncryptedContent) };
  const closeStream = openStreamOf(gateway, caller);
  return streamAgain(gateway, turn, runs.find(made.responseId), {
    includeObfuscation: request.includeObfuscation,
    closeStream,
  });
}
