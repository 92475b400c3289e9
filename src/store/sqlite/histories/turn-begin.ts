// The begin of a turn: the first of its two transactions. @spec states-and-transitions
import { billingDayOf } from "../../../core/accounts/billing-day.ts";
import type { TurnHead } from "../../../core/turn/turn.ts";
import {
  type BeginOutcome,
  type Caller,
  type Claim,
  type Placement,
  StoreError,
  type TurnBegin,
} from "../../../ports/store.ts";
import type { TurnFunds } from "../../../ports/funds.ts";
import { claimKey, freeKey } from "./claims.ts";
import type { Connection } from "../database/connection.ts";
import { takeHold } from "../money/holds.ts";
import { findOwner } from "../accounts/keys.ts";
import { asIs, coded, plain } from "../database/operation.ts";
import { insertResponse, markStarted } from "./responses.ts";
import { insertBranch, insertThread, selectThread, type ThreadRow } from "./threads.ts";

/** A turn to begin, its head as the text that is stored. */
interface SentBegin extends Pick<TurnHead, "model" | "turnId" | "previousResponseId" | "createdAt"> {
  readonly caller: Caller;
  readonly responseId: TurnHead["id"];
  readonly head: string;
  readonly status: TurnBegin["status"];
  readonly placement: Placement;
  readonly streamed: boolean;
  readonly claim: Claim | null;
  readonly funds: TurnFunds | null;
}

/** TurnStore.beginTurn. */
export const beginTurn = coded({
  side: "write",
  encode: ({ head, ...begin }: TurnBegin): SentBegin => ({
    ...begin,
    responseId: head.id,
    model: head.model,
    turnId: head.turnId,
    previousResponseId: head.previousResponseId,
    createdAt: head.createdAt,
    head: JSON.stringify(head),
  }),
  run: (connection, begin: SentBegin, nowMs): BeginOutcome => {
    const { caller, claim, responseId, funds } = begin;
    const owner = findOwner(connection, caller);
    if (owner === undefined) return { kind: "gone" };
    const continued = begin.placement.kind === "new" ? null : findContinued(connection, caller, begin.placement);
    if (continued === undefined) return { kind: "gone" };
    const made = { kind: "response", responseId, streamed: begin.streamed } as const;
    const claiming = claimKey(connection, claim, { caller, nowMs }, made);
    if (claiming.kind === "claimed") return claiming;
    const billed = { ...caller, memberId: owner.memberId, billingDay: billingDayOf(nowMs) };
    const turn = { ...billed, responseId, createdAt: begin.createdAt };
    const holding = funds === null ? FREE : takeHold(connection, turn, funds);
    if (holding.kind === "refused") {
      // A refusal leaves no trace: the key is free for another request.
      if (claiming.claimId !== null) freeKey(connection, { claimId: claiming.claimId, responseId });
      return holding;
    }
    const { threadId, seenHead, mayFork } = place(connection, begin, continued);
    insertResponse(connection, {
      publicId: responseId,
      ...billed,
      threadId,
      status: begin.status,
      owner: connection.settings.owner,
      claimId: claiming.claimId,
      model: begin.model,
      turnId: begin.turnId,
      previousResponseId: begin.previousResponseId,
      seenHead,
      mayFork: mayFork ? 1 : 0,
      createdAt: begin.createdAt,
      dispatchedAtMs: begin.status === "in_progress" ? nowMs : null,
      prices: funds === null ? null : funds.prices,
      heldNano: funds === null ? 0n : funds.holdNano,
      head: begin.head,
    });
    const { responseLimitNano } = holding;
    return responseLimitNano === null ? { kind: "begun" } : { kind: "begun", responseLimitNano };
  },
  decode: asIs<BeginOutcome>,
});

const FREE = { kind: "held", responseLimitNano: null } as const;

/** The thread that a view ends in, while it is the caller's and not deleted. */
function findContinued(
  connection: Connection,
  caller: Caller,
  placement: Exclude<Placement, { kind: "new" }>,
): ThreadRow | undefined {
  const last = placement.view.segments.at(-1);
  if (last === undefined) throw new StoreError("failed", "A view without a thread cannot be continued.");
  const thread = selectThread(connection, { id: last.threadId });
  if (thread === undefined || thread.deletedAtMs !== null) return undefined;
  return thread.keyId === caller.keyId && thread.organizationId === caller.organizationId ? thread : undefined;
}

/** Where the turn's items will stand; a new thread is made now, so that the turn is reached by its root's tombstone. */
function place(
  connection: Connection,
  { caller, createdAt, placement }: SentBegin,
  continued: ThreadRow | null,
): { threadId: number; seenHead: number; mayFork: boolean } {
  if (placement.kind === "new" || continued === null) {
    const { id } = insertThread(connection, {
      publicId: null,
      organizationId: caller.organizationId,
      keyId: caller.keyId,
      rootId: null,
      lineage: "[]",
      createdAt,
      metadata: null,
    });
    return { threadId: id, seenHead: 0, mayFork: false };
  }
  const { segments } = placement.view;
  if (placement.kind === "branch") {
    const threadId = insertBranch(connection, { from: continued, segments, caller, createdAt });
    return { threadId, seenHead: 0, mayFork: false };
  }
  return { threadId: continued.id, seenHead: segments.at(-1)?.upTo ?? 0, mayFork: placement.mayFork };
}

/** TurnStore.startTurn. */
export const startTurn = plain("write", (connection, { responseId }: { responseId: string }, nowMs) => {
  return markStarted(connection, { responseId, nowMs }).changes === 1;
});
