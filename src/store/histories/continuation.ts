// Finds what a later turn continues: the view of a history and the response at its end. @spec endpoints/post-responses
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall } from "../../contract/items.ts";
import type { Caller, View } from "../../ports/store/histories.ts";
import type { ClosedCall, ContinuedTurn, RoundState } from "../../core/turn/turn.ts";
import type { Continuation, ContinuationName } from "../../ports/store/turns.ts";
import { StoreError } from "../../ports/store/store.ts";
import { decodeItem } from "./item-codec.ts";
import { decodeEnding, decodeHead, decodeUsage } from "./turn-codec.ts";
import { parseJson } from "../../base/json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { decodedOperation } from "../engine/operation.ts";
import { selectUnansweredCall } from "./items.ts";
import { findVisibleResponse, type ResponseRow, selectResponse, selectRounds } from "./responses.ts";
import { type EnteredResponse, selectContinuingCalls, selectEntered } from "./entered-responses.ts";
import { findVisibleConversation, selectThread, type ThreadRow, viewOf } from "./threads.ts";
import {
  listAnswering,
  findWaiting,
  requiresOutputs,
  type WaitingCall,
  waitingCallsOf,
  listWaiting,
  type WaitingResponse,
  waitsFor,
} from "./waiting.ts";

interface LatestRow {
  readonly response: ResponseRow;
  readonly waiting: readonly WaitingCall[];
  readonly answeredBy: string | null;
  readonly requiresOutputs: boolean;
  readonly rounds: readonly Round[];
}

/** A response of the continued turn in the view. */
interface Round {
  readonly responseId: string;
  readonly model: string;
  /** Null: its provider gave none. */
  readonly state: string | null;
}

interface ContinuationRow {
  readonly view: View;
  readonly isBranch: boolean;
  readonly latest: LatestRow | null;
  readonly closedCalls: readonly ClosedCall[];
}

type Query = { readonly caller: Caller; readonly name: ContinuationName };

/** The most closed calls reported for one request; no error message lists more. */
const CLOSED_CALLS_MAX = 20;

/** TurnStore.findContinuation. */
export const findContinuation = decodedOperation(
  "read",
  function* (tx, { caller, name }: Query): Steps<(ContinuationRow & CarriedFrom) | null> {
    const callIds = new Set(name.answeredCallIds);
    if (name.by === "conversation") {
      const thread = yield* findVisibleConversation(tx, { caller, conversationId: name.conversationId });
      if (thread === undefined) return null;
      const row = yield* continueThread(tx, thread, callIds);
      const { latestResponse } = thread;
      const isLatest = latestResponse === null || row.latest?.response.id === latestResponse;
      const carriedFrom = isLatest ? null : yield* selectResponse(tx, { id: latestResponse });
      return { ...row, carriedFrom: carriedFrom ?? null };
    }
    const named = yield* findVisibleResponse(tx, { caller, responseId: name.responseId });
    if (named === undefined) return null;
    const entered = yield* selectEntered(tx, named);
    if (entered === undefined) return { ...(yield* continueUnentered(tx, named)), carriedFrom: null };
    const answered = callIds.size === 0 ? null : yield* findAnswered(tx, caller, entered, callIds);
    const row = yield* continueResponse(tx, answered ?? entered, callIds);
    return { ...row, carriedFrom: row.latest?.response.id === named.id ? null : named };
  },
  (row): Continuation | null => {
    if (row === null) return null;
    const { carriedFrom, ...found } = row;
    const latest = found.latest === null ? null : decodeLatest(found.latest);
    return { ...found, latest, carried: carriedFrom === null ? (latest?.head ?? null) : decodeHead(carriedFrom) };
  },
);

/** The named response, or the last one of a conversation, where another one's calls wait; null: it is the latest. */
interface CarriedFrom {
  readonly carriedFrom: ResponseRow | null;
}

/**
 * Continues a conversation at its end, after its last live response, or after a concurrent one that still waits for
 * tool outputs.
 */
function* continueThread(tx: Transaction, thread: ThreadRow, callIds: ReadonlySet<string>): Steps<ContinuationRow> {
  const view = yield* viewOf(tx, thread, thread.endPosition);
  const waiting = (yield* findWaiting(tx, thread, callIds)) ?? (yield* latestOf(tx, thread));
  return yield* continueAt(tx, { thread, view, isBranch: false, callIds }, waiting);
}

function* latestOf(tx: Transaction, { latestResponse }: ThreadRow): Steps<WaitingResponse | null> {
  const last = latestResponse === null ? undefined : yield* selectEntered(tx, { id: latestResponse });
  return last === undefined ? null : { response: last, calls: [], answeredBy: null };
}

/** A running or failed response has entered no history; its status tells the caller why it cannot be continued. */
function* continueUnentered(tx: Transaction, response: ResponseRow): Steps<ContinuationRow> {
  const thread = yield* threadOf(tx, response);
  return {
    view: yield* viewOf(tx, thread, thread.endPosition),
    isBranch: false,
    latest: { response, waiting: [], answeredBy: null, requiresOutputs: false, rounds: [] },
    closedCalls: [],
  };
}

/**
 * Continues the last live response of a thread at the thread's end, as if the conversation were named: a concurrent
 * response may wait for tool outputs. Continues an earlier response there too, if its own calls wait for one of the
 * outputs sent. Continues any other response directly after itself.
 */
function* continueResponse(
  tx: Transaction,
  response: EnteredResponse,
  callIds: ReadonlySet<string>,
): Steps<ContinuationRow> {
  const thread = yield* threadOf(tx, response);
  const isLast = thread.latestResponse === response.id;
  const waiting = isLast
    ? yield* findWaiting(tx, thread, callIds)
    : yield* findWaitingOf(tx, thread, response, callIds);
  const isBranch = !isLast && waiting === null;
  const view = yield* viewOf(tx, thread, isBranch ? response.lastPosition : thread.endPosition);
  const calls = isBranch ? yield* waitingCallsOf(tx, response, response.lastPosition) : [];
  const answeredBy = calls.length === 0 ? null : ((yield* listAnswering(tx, thread.id)).get(response.id) ?? null);
  return yield* continueAt(tx, { thread, view, isBranch, callIds }, waiting ?? { response, calls, answeredBy });
}

/** The named response, if its own calls wait at the end of its thread for one of the outputs sent. */
function* findWaitingOf(
  tx: Transaction,
  thread: ThreadRow,
  { id }: EnteredResponse,
  callIds: ReadonlySet<string>,
): Steps<WaitingResponse | null> {
  if (callIds.size === 0) return null;
  const own = (yield* listWaiting(tx, thread)).find(({ response }) => response.id === id);
  return own !== undefined && waitsFor(own, callIds) ? own : null;
}

/**
 * The response that waits for one of the outputs sent: the named one, or one that continued it; null when there is
 * none.
 */
function* findAnswered(
  tx: Transaction,
  caller: Caller,
  named: EnteredResponse,
  callIds: ReadonlySet<string>,
): Steps<EnteredResponse | null> {
  if (yield* isWaitingFor(tx, named, callIds)) return named;
  const calls = yield* selectContinuingCalls(tx, { ...caller, previousResponseId: named.publicId });
  const answered = calls.filter(({ callId }) => callIds.has(callId));
  for (const id of new Set(answered.map(({ responseRowid }) => responseRowid))) {
    const candidate = yield* selectEntered(tx, { id });
    if (candidate !== undefined && (yield* isWaitingFor(tx, candidate, callIds))) return candidate;
  }
  return null;
}

function* isWaitingFor(tx: Transaction, response: EnteredResponse, callIds: ReadonlySet<string>): Steps<boolean> {
  const thread = yield* threadOf(tx, response);
  const upTo = thread.latestResponse === response.id ? thread.endPosition : response.lastPosition;
  return waitsFor({ calls: yield* waitingCallsOf(tx, response, upTo) }, callIds);
}

interface ContinuationPoint {
  readonly thread: ThreadRow;
  readonly view: View;
  readonly isBranch: boolean;
  readonly callIds: ReadonlySet<string>;
}

function* continueAt(tx: Transaction, point: ContinuationPoint, at: WaitingResponse | null): Steps<ContinuationRow> {
  const { thread, view, isBranch, callIds } = point;
  const response = at === null ? undefined : yield* selectResponse(tx, at.response);
  if (at === null || response === undefined) return { view, isBranch, latest: null, closedCalls: [] };
  // Only tool outputs continue a turn. Other requests need none of its round states, which may be large.
  const rounds = at.calls.length === 0 ? [] : yield* listRounds(tx, view, at.response.turnId);
  const { calls: waiting, answeredBy } = at;
  return {
    view,
    isBranch,
    latest: {
      response,
      waiting,
      answeredBy,
      requiresOutputs: waiting.length > 0 && requiresOutputs(at.response),
      rounds,
    },
    closedCalls: waitsFor(at, callIds) ? [] : yield* findClosedCalls(tx, thread, callIds),
  };
}

/** Those of some calls of a thread that a user turn has closed. */
function* findClosedCalls(tx: Transaction, thread: ThreadRow, callIds: ReadonlySet<string>): Steps<ClosedCall[]> {
  const closed: ClosedCall[] = [];
  for (const callId of [...callIds].slice(0, CLOSED_CALLS_MAX)) {
    const call = yield* selectUnansweredCall(tx, { threadId: thread.id, callId });
    if (call?.closedBy != null) closed.push({ callId, closedBy: call.closedBy as ResponseId });
  }
  return closed;
}

/** The rounds of a turn may have continued in several branches; only those in the view count. */
function* listRounds(tx: Transaction, view: View, turnId: string): Steps<readonly Round[]> {
  const rounds = yield* selectRounds(tx, { turnId });
  return rounds
    .filter(({ threadId, lastPosition }) =>
      view.segments.some((segment) => segment.threadId === threadId && lastPosition <= segment.upTo),
    )
    .map(({ responseId, model, state }) => ({ responseId, model, state }));
}

function* threadOf(
  tx: Transaction,
  { publicId, threadId }: Pick<ResponseRow, "publicId" | "threadId">,
): Steps<ThreadRow> {
  const thread = yield* selectThread(tx, { id: threadId });
  if (thread === undefined) throw new StoreError("failed", `The thread of ${publicId} is missing.`);
  return thread;
}

function decodeLatest({
  response,
  waiting,
  answeredBy,
  requiresOutputs: isRequired,
  rounds,
}: LatestRow): ContinuedTurn {
  const head = decodeHead(response);
  const stored = rounds.filter(({ state }) => state !== null);
  const states = stored.flatMap(decodeState);
  return {
    head,
    status: response.status,
    usage: decodeUsage(response),
    promptCharacters: decodeEnding(response).promptCharacters ?? head.promptCharacters ?? null,
    waitingCalls: waiting.flatMap(decodeCall),
    answeredBy: answeredBy as ResponseId | null,
    firstRound: (rounds[0]?.responseId as ResponseId | undefined) ?? head.id,
    requiresOutputs: isRequired,
    states,
    unreadableStates: stored.length - states.length,
  };
}

/** A state that cannot be read is left out, as items are: the turn goes on without it. */
function decodeState({ responseId, model, state }: Round): RoundState[] {
  const value = parseJson(state ?? "");
  return value === undefined ? [] : [{ responseId: responseId as ResponseId, model, state: value }];
}

/** An unreadable call cannot be answered, so it is left out, as everywhere else. */
function decodeCall(row: WaitingCall): FunctionCall[] {
  const item = decodeItem(row);
  return item?.type === "function_call" ? [item] : [];
}
