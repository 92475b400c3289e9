// The answer to a retry: the first request's response, as it is now. @spec limits (Idempotency rules)
import { isTerminal } from "../contract/statuses.ts";
import { checkWaitIsOver, refuseGoneResult, refuseInProgress } from "../core/accounts/replay.ts";
import type { CreateRequest } from "../core/reading/create-body.ts";
import { presentResponse } from "../core/turn/present.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { Claim, Claimed, Made } from "../ports/claims.ts";
import type { Caller } from "../ports/histories.ts";
import type { World } from "../ports/world.ts";
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
  admitted: Admitted,
  request: CreateRequest,
  claim: Claim | null,
  earlier: Claimed,
): Promise<Reply> {
  const { world, runs } = gateway;
  const { caller } = admitted;
  const { responseId, streamed } = responseMadeBy(earlier);
  const turn = await readMade(world, caller, claim, responseId);
  if (!isTerminal(turn.status)) {
    const { limits, clock } = world;
    const waitSeconds = streamed ? limits.stream_ceiling_seconds : limits.non_streaming_wait_seconds;
    checkWaitIsOver(earlier.claimedAtMs, clock.nowMs(), waitSeconds);
  }
  if (!request.stream) return { kind: "json", body: presentResponse(turn, turn.head.includesEncryptedContent) };
  const run = runs.find(responseId);
  // One that runs no longer has ended between the two look-ups.
  const hasJustEnded = run === undefined && !isTerminal(turn.status);
  const latest = hasJustEnded ? await readMade(world, caller, claim, responseId) : turn;
  const closeStream = openStreamOf(gateway, admitted);
  return streamAgain(gateway, latest, run, { includeObfuscation: request.includeObfuscation, closeStream });
}

/** The response that the key of an earlier create stands for. */
export function responseMadeBy({ made }: Claimed): Extract<Made, { kind: "response" }> {
  if (made.kind !== "response") throw new Error(`a create claimed ${made.kind}`);
  return made;
}

/** What the first request made, as it is now; refuses 409 when it is gone. */
async function readMade(world: World, caller: Caller, claim: Claim | null, responseId: string): Promise<Turn> {
  const turn = await world.store.readTurn({ caller, responseId });
  if (turn !== null) return turn;
  // Its claim gone too, the first was taken back just now: a retry is welcome. Else its result was deleted.
  throw (await findEarlier(world, caller, claim)) === null ? refuseInProgress() : refuseGoneResult();
}
