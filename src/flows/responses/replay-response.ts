// The reply to a retry: the first request's response, in its current state. @spec limits (Idempotency rules)
import { isTerminal } from "../../contract/statuses.ts";
import { assertWaitIsOver, deletedResultError, inProgressError } from "../../core/idempotency/verdict.ts";
import type { ClaimResult, EarlierClaim } from "../../ports/store/claims.ts";
import { openStreamsMax } from "../access/limits-in-force.ts";
import { findEarlierRequest } from "../claims.ts";
import { followElsewhere } from "../nodes/run-elsewhere.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import type { Reply } from "../request-context.ts";
import type { Create, CreateReply } from "./read-create.ts";
import { readVisible, replyWith, statusOf, wholeResponse } from "./stored-response.ts";
import { type Follow, streamReplay } from "./stream-reply.ts";

type ReplayNeeds = Pick<Services, "store" | "nodes" | "limits" | "clock"> & Pick<Capacity, "runs" | "openStreams">;

/**
 * How long after the wait of its first request a response may still be withdrawn, milliseconds. A withdrawal that began
 * within the wait is over by then, or has failed: it waits for a connection, a lock and a statement or two.
 */
const WITHDRAWAL_MS = 10_000;

/**
 * Replies with the response that an earlier request with the same key and body created. The reply rejects with 409:
 * `idempotency_in_progress` while the earlier request may still be waiting for its own reply or is being withdrawn,
 * `idempotency_conflict` when its response was deleted.
 */
export function replayResponse(services: ReplayNeeds, create: Create, earlier: EarlierClaim): CreateReply {
  return { responseId: resultOf(earlier).responseId, reply: replay(services, create, earlier), ended: null };
}

function resultOf({ result }: EarlierClaim): Extract<ClaimResult, { kind: "response" }> {
  if (result.kind !== "response") throw new Error(`a create claimed ${result.kind}`);
  return result;
}

async function replay(services: ReplayNeeds, create: Create, earlier: EarlierClaim): Promise<Reply> {
  const { runs, nodes, limits, clock } = services;
  const { stream, includeObfuscation } = create.request;
  const { responseId, streamed } = resultOf(earlier);
  const { caller, organization } = create.admitted;
  const query = { caller, responseId };
  // Both before the read: a response that is read after that time is not withdrawn any more.
  const nowMs = clock.nowMs();
  const run = runs.find(responseId);
  const stored = await readVisible(services, create, query);
  if (stored === null) return replayAfter(services, create, responseId);
  if (!isTerminal(statusOf(stored))) {
    const waitSeconds = streamed ? limits.stream_ceiling_seconds : limits.non_streaming_wait_seconds;
    // A run here knows whether it may be withdrawn.
    const withdrawalMs = run === undefined && nodes !== null ? WITHDRAWAL_MS : 0;
    assertWaitIsOver(earlier.claimedAtMs, nowMs - withdrawalMs, waitSeconds);
    // The first request began to wait when its claim had been committed.
    if (run !== undefined && (!run.isDisclosed || run.isBeingWithdrawn)) throw inProgressError();
  }
  if (!stream) return replyWith(stored);
  let latest = stored;
  let follow: Follow | null = run === undefined ? null : () => run.endedInTime();
  if (run === undefined && !isTerminal(statusOf(stored))) {
    // It ended between the two look-ups, another node runs it, or its end could not be stored.
    const found = await readVisible(services, create, query);
    if (found === null) return replayAfter(services, create, responseId);
    latest = found;
    if (nodes !== null) follow = (signal) => followElsewhere(services, query, signal);
  }
  const response = await wholeResponse(latest);
  const closeStream = await services.openStreams.open(caller, openStreamsMax(limits, organization));
  return streamReplay(services, response, follow, { includeObfuscation, closeStream });
}

/**
 * The reply when the response that a claim names cannot be read: it was withdrawn or deleted since the claim was read.
 */
async function replayAfter(services: ReplayNeeds, create: Create, responseId: string): Promise<Reply> {
  const latest = await findEarlierRequest(services, create.admitted.caller, create.claim);
  // The first request was withdrawn a moment ago, and a retry may follow.
  if (latest === null) throw inProgressError();
  if (resultOf(latest).responseId === responseId) throw deletedResultError();
  // Another request with the key has begun since: this one is its retry.
  return replay(services, create, latest);
}
