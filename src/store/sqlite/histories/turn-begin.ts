// The begin of a turn: the first of its two transactions. @spec states-and-transitions
import { billingDayOf } from "../../../core/accounts/billing-day.ts";
import type { TurnHead } from "../../../core/turn/turn.ts";
import type { Caller } from "../../../ports/histories.ts";
import type { Claim } from "../../../ports/claims.ts";
import type { BeginOutcome, Placement, TurnBegin } from "../../../ports/turns.ts";
import { StoreError } from "../../../ports/store.ts";
import type { TurnFunds } from "../../../ports/funds.ts";
import { claimKey, freeKey } from "./claims.ts";
import type { Connection } from "../database/connection.ts";
import { takeHold } from "../money/holds.ts";
import { findOwner } from "../accounts/keys.ts";
import { coded, plain } from "../database/operation.ts";
import { packing } from "../database/packing.ts";
import { insertResponse, markStarted } from "./responses.ts";
import { insertBranch, insertThread, selectThread, type ThreadRow } from "./threads.ts";

/** A turn to begin, its head as the text that is stored. */
interface SentBegin extends Caller, Pick<TurnHead, "model" | "turnId" | "previousResponseId" | "createdAt"> {
  readonly responseId: TurnHead["id"];
  readonly head: string;
  readonly status: TurnBegin["status"];
  /** Null: a new thread. */
  readonly placement: Exclude<Placement, { kind: "new" }> | null;
  readonly streamed: boolean;
  readonly claim: Claim | null;
  /** Both null: its model is free. */
  readonly prices: TurnFunds["prices"] | null;
  readonly holdNano: TurnFunds["holdNano"] | null;
}

const PACKING = packing<SentBegin>({
  responseId: true,
  organizationId: true,
  keyId: true,
  head: true,
  model: true,
  turnId: true,
  previousResponseId: true,
  createdAt: true,
  status: true,
  placement: true,
  streamed: true,
  claim: true,
  prices: true,
  holdNano: true,
});

/** TurnStore.beginTurn. */
export const beginTurn = coded({
  side: "write",
  encode: ({ caller, head, status, placement, streamed, claim, funds }: TurnBegin) =>
    PACKING.pack({
      responseId: head.id,
      organizationId: caller.organizationId,
      keyId: caller.keyId,
      head: JSON.stringify(head),
      model: head.model,
      turnId: head.turnId,
      previousResponseId: head.previousResponseId,
      createdAt: head.createdAt,
      status,
      placement: placement.kind === "new" ? null : placement,
      streamed,
      claim,
      prices: funds === null ? null : funds.prices,
      holdNano: funds === null ? null : funds.holdNano,
    }),
  run: (connection, sent, nowMs): BeginOutcome | null => {
    const begin = PACKING.unpack(sent);
    const { organizationId, keyId, claim, responseId, prices, holdNano } = begin;
    const caller = { organizationId, keyId };
    const owner = findOwner(connection, caller);
    if (owner === undefined) return { kind: "gone" };
    const continued = begin.placement === null ? null : findContinued(connection, caller, begin.placement);
    if (continued === undefined) return { kind: "gone" };
    const made = { kind: "response", responseId, streamed: begin.streamed } as const;
    const claiming = claimKey(connection, claim, { caller, nowMs }, made);
    if (claiming.kind === "claimed") return claiming;
    const billed = { ...caller, memberId: owner.memberId, billingDay: billingDayOf(nowMs) };
    const turn = { ...billed, responseId, createdAt: begin.createdAt };
    const holding = holdNano === null ? FREE : takeHold(connection, turn, holdNano);
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
      prices,
      heldNano: holdNano ?? 0n,
      head: begin.head,
    });
    const { responseLimitNano } = holding;
    return responseLimitNano === null ? null : { kind: "begun", responseLimitNano };
  },
  // Null, of which nearly all are, crosses for less.
  decode: (outcome: BeginOutcome | null): BeginOutcome => outcome ?? { kind: "begun" },
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
  { organizationId, keyId, createdAt, placement }: SentBegin,
  continued: ThreadRow | null,
): { threadId: number; seenHead: number; mayFork: boolean } {
  if (placement === null || continued === null) {
    const { id } = insertThread(connection, {
      publicId: null,
      organizationId,
      keyId,
      rootId: null,
      lineage: "[]",
      createdAt,
      metadata: null,
    });
    return { threadId: id, seenHead: 0, mayFork: false };
  }
  const { segments } = placement.view;
  if (placement.kind === "branch") {
    const caller = { organizationId, keyId };
    const threadId = insertBranch(connection, { from: continued, segments, caller, createdAt });
    return { threadId, seenHead: 0, mayFork: false };
  }
  return { threadId: continued.id, seenHead: segments.at(-1)?.upTo ?? 0, mayFork: placement.mayFork };
}

/** TurnStore.startTurn. */
export const startTurn = plain("write", (connection, { responseId }: { responseId: string }, nowMs) => {
  return markStarted(connection, { responseId, nowMs }).changes === 1;
});
