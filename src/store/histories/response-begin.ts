// Begins a response: the first of its two transactions. @spec states-and-transitions
import { billingHourOf } from "../../core/money/billing-day.ts";
import type { AnsweredCalls, ResponseHead, WaitingCallsAction } from "../../core/response/response.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Claim } from "../../ports/store/claims.ts";
import type { BeginOutcome, Placement, StartOutcome, ResponseBegin } from "../../ports/store/responses.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { ResponseFunds } from "../../ports/store/funds.ts";
import { claimKey, freeKey } from "./claims.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { findBudgets, NO_BUDGETS } from "../money/budget-counters.ts";
import { takeHold } from "../money/holds.ts";
import { lockBalance } from "../money/ledger.ts";
import { findLiveKey } from "../accounts/keys.ts";
import { encodedProcedure, plainProcedure } from "../engine/procedure.ts";
import { packing } from "../engine/packing.ts";
import { one } from "../engine/statement.ts";
import { insertResponse, markStarted, selectResponseRowid } from "./responses.ts";
import { type EnteredResponse, selectEntered } from "./entered-responses.ts";
import { addBranch, addThread, lockThread, selectThread, type ThreadRow } from "./threads.ts";
import { listAnswering, closeCalls, listWaiting } from "./waiting.ts";

/** A response to begin; its head is the text that is stored. */
interface EncodedBegin extends Caller, Pick<ResponseHead, "model" | "turnId" | "previousResponseId" | "createdAt"> {
  readonly responseId: ResponseHead["id"];
  readonly head: string;
  readonly status: ResponseBegin["status"];
  /** Null: a new thread. */
  readonly placement: Exclude<Placement, { kind: "new" }> | null;
  readonly calls: WaitingCallsAction | null;
  readonly streamed: boolean;
  readonly claim: Claim | null;
  readonly requestId: string;
  readonly endUser: string | null;
  readonly label: string | null;
  /** Both null: the model is free. */
  readonly prices: ResponseFunds["prices"] | null;
  readonly holdNano: ResponseFunds["holdNano"] | null;
}

const PACKING = packing<EncodedBegin>({
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
  calls: true,
  streamed: true,
  claim: true,
  requestId: true,
  endUser: true,
  label: true,
  prices: true,
  holdNano: true,
});

/** ResponseStore.beginResponse. */
export const beginResponse = encodedProcedure({
  side: "write",
  usesBuffers: true,
  encode: ({
    caller,
    head,
    status,
    placement,
    calls,
    streamed,
    claim,
    requestId,
    endUser,
    label,
    funds,
  }: ResponseBegin) =>
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
      calls,
      streamed,
      claim,
      requestId,
      endUser,
      label,
      prices: funds === null ? null : funds.prices,
      holdNano: funds === null ? null : funds.holdNano,
    }),
  run: function* (tx, sent, nowMs): Steps<BeginOutcome | null> {
    const begin = PACKING.unpack(sent);
    const { organizationId, keyId, claim, responseId, prices, holdNano } = begin;
    const caller = { organizationId, keyId };
    const owner = yield* findLiveKey(tx, caller);
    if (owner === undefined) return { kind: "revoked" };
    const continued = begin.placement === null ? null : yield* findContinued(tx, caller, begin.placement);
    if (continued === undefined) return { kind: "gone" };
    const answered = yield* checkCalls(tx, begin, continued);
    if (answered === null) return { kind: "changed" };
    const result = { kind: "response", responseId, streamed: begin.streamed } as const;
    const claiming = yield* claimKey(tx, claim, { caller, nowMs }, result);
    if (claiming.kind === "claimed") return claiming;
    const billed = { ...caller, memberId: owner.memberId, billingHour: billingHourOf(nowMs) };
    const response = { ...billed, responseId, createdAt: begin.createdAt };
    let budgets = NO_BUDGETS;
    if (holdNano !== null || owner.hasBudgets === 1) {
      yield* lockBalance(tx, { organizationId });
      // Read also when the key's look-up found none: one may have been set before the lock.
      budgets = yield* findBudgets(tx, billed, nowMs);
    }
    const holding = yield* takeHold(tx, response, budgets, holdNano);
    if (holding.kind === "shortage") {
      // An error leaves no trace: the key is free for another request.
      if (claiming.claimId !== null) yield* freeKey(tx, { claimId: claiming.claimId, responseId });
      return holding;
    }
    if (continued !== null && begin.calls?.kind === "drop") yield* closePassedCalls(tx, begin, continued);
    const { threadId, seenPosition, mayFork } = yield* placeTurn(tx, begin, continued, nowMs);
    yield* insertResponse(tx, {
      publicId: responseId,
      ...billed,
      threadId,
      status: begin.status,
      owner: tx.settings.instanceId,
      claimId: claiming.claimId,
      model: begin.model,
      turnId: begin.turnId,
      previousResponseId: begin.previousResponseId,
      seenPosition,
      mayFork: mayFork ? 1 : 0,
      answersId: answered[0] ?? null,
      alsoAnswers: answered.length > 1 ? JSON.stringify(answered.slice(1)) : null,
      createdAt: begin.createdAt,
      dispatchedAtMs: begin.status === "in_progress" ? nowMs : null,
      prices,
      heldNano: holding.heldNano,
      requestId: begin.requestId,
      endUser: begin.endUser,
      label: begin.label,
      head: begin.head,
    });
    return holding.heldNano === (holdNano ?? 0n) ? null : { kind: "begun", heldNano: holding.heldNano };
  },
  // Null, the usual outcome, is the cheapest message.
  decode: (outcome: BeginOutcome | null): BeginOutcome => outcome ?? { kind: "begun" },
});

/** The thread that a view ends in, if it is the caller's and not deleted. */
function* findContinued(
  tx: Transaction,
  caller: Caller,
  placement: Exclude<Placement, { kind: "new" }>,
): Steps<ThreadRow | undefined> {
  const last = placement.view.segments.at(-1);
  if (last === undefined) throw new StoreError("failed", "A view without a thread cannot be continued.");
  yield* lockThread(tx, { id: last.threadId });
  const thread = yield* selectThread(tx, { id: last.threadId });
  if (thread === undefined || thread.deletedAtMs !== null) return undefined;
  return thread.keyId === caller.keyId && thread.organizationId === caller.organizationId ? thread : undefined;
}

/** The rowids of the responses whose calls a response answers in their thread, the one that it continues first. */
type Answered = readonly number[];

/**
 * Checks that the calls of the thread are still as the response was planned: a response that answers calls finds them
 * waiting and not being answered; a user turn finds no response that answers calls running, unless it drops calls. Null
 * when they have changed. Returns the responses whose calls are answered in the thread; a branch answers calls of its
 * own.
 */
function* checkCalls(
  tx: Transaction,
  { placement, calls }: EncodedBegin,
  thread: ThreadRow | null,
): Steps<Answered | null> {
  if (placement === null || thread === null || calls?.kind === "drop") return [];
  if (placement.kind === "branch") return calls !== null && (yield* isAnyClosed(tx, calls.of)) ? null : [];
  if (calls === null) return (yield* listAnswering(tx, thread.id)).size === 0 ? [] : null;
  const waiting = new Map((yield* listWaiting(tx, thread)).map((each) => [each.response.publicId, each]));
  const answered: number[] = [];
  for (const { madeBy, callIds } of calls.of) {
    const found = waiting.get(madeBy);
    if (found === undefined || found.answeredBy !== null) return null;
    const open = new Set(found.calls.map(({ callId }) => callId));
    if (!callIds.every((callId) => open.has(callId))) return null;
    answered.push(found.response.id);
  }
  return answered;
}

function* isAnyClosed(tx: Transaction, answered: readonly AnsweredCalls[]): Steps<boolean> {
  for (const { madeBy: responseId } of answered) {
    const row = yield* selectResponseRowid(tx, { responseId });
    if (row !== undefined && ((yield* selectEntered(tx, row))?.closedBy ?? null) !== null) return true;
  }
  return false;
}

/**
 * Closes the calls that a turn drops: those at the end of its thread as the response saw it, or of the response after
 * which it branches.
 */
function* closePassedCalls(tx: Transaction, { placement, responseId }: EncodedBegin, thread: ThreadRow): Steps<void> {
  const end = placement?.view.segments.at(-1)?.upTo ?? 0;
  const isBranch = placement?.kind === "branch";
  const isPassed = ({ lastPosition }: EnteredResponse) => (isBranch ? lastPosition === end : lastPosition <= end);
  yield* closeCalls(tx, thread, { closedBy: responseId, isPassed });
}

/**
 * Chooses the thread of the response's items. A new thread is stored now, so that its root's tombstone reaches the
 * running response.
 */
function* placeTurn(
  tx: Transaction,
  begin: EncodedBegin,
  continued: ThreadRow | null,
  nowMs: number,
): Steps<{ threadId: number; seenPosition: number; mayFork: boolean }> {
  const { createdAt, placement } = begin;
  if (placement === null || continued === null) {
    const { id } = yield* addThread(tx, begin, { createdAt }, nowMs);
    return { threadId: id, seenPosition: 0, mayFork: false };
  }
  const { segments } = placement.view;
  if (placement.kind === "branch") {
    const { id } = yield* addBranch(tx, begin, { from: continued, segments, createdAt }, nowMs);
    return { threadId: id, seenPosition: 0, mayFork: false };
  }
  return { threadId: continued.id, seenPosition: segments.at(-1)?.upTo ?? 0, mayFork: placement.mayFork };
}

/** ResponseStore.startResponse. */
export const startResponse = plainProcedure(
  "write",
  function* (tx, { responseId }: { responseId: string }, nowMs): Steps<StartOutcome> {
    const state = yield* selectBeginState(tx, { responseId });
    if (state === undefined) return "ended";
    const denied = state.status === "queued" ? denialOf(state) : null;
    if (denied !== null) return denied;
    return (yield* markStarted(tx, { responseId, nowMs })).changes === 1 ? "started" : "ended";
  },
);

function denialOf({ isDeleted, isRevoked, suspended, paymentMethod, plan }: BeginState): StartOutcome | null {
  if (isDeleted === 1) return "deleted";
  if (isRevoked === 1) return "revoked";
  if (suspended === 1) return "suspended";
  if (paymentMethod === 0) return "no_payment_method";
  return plan === 0 ? "no_plan" : null;
}

/** Whether what let a running response begin is still there. */
interface BeginState {
  readonly status: "queued" | "in_progress";
  readonly isDeleted: 0 | 1;
  readonly isRevoked: 0 | 1;
  readonly suspended: 0 | 1;
  readonly paymentMethod: 0 | 1;
  readonly plan: 0 | 1;
}

/** The state of a running response; undefined when it has ended. A deleted organization has no keys. */
const selectBeginState = one<{ responseId: string }, BeginState>(`
  select r.status,
         case when coalesce(r.deleted_at_ms, root.deleted_at_ms, t.deleted_at_ms) is null then 0 else 1 end as isDeleted,
         case when k.id is null or k.revoked_at is not null then 1 else 0 end as isRevoked,
         o.suspended,
         o.payment_method as paymentMethod,
         o.plan
    from responses r
    join organizations o on o.id = r.organization_id
    join threads t on t.id = r.thread_id
    left join threads root on root.id = t.root_id
    left join api_keys k on k.id = r.key_id
   where r.public_id = :responseId
     and r.completed_at is null`);
