// Finds what a later response continues: the view of a history and the response at its end.
// @spec endpoints/post-responses
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall } from "../../contract/items.ts";
import type { Caller, View } from "../../ports/store/histories.ts";
import type {
  AmbiguousCall,
  ContinuedResponse,
  RoundState,
  SettledCall,
  WaitingCalls,
} from "../../core/response/response.ts";
import type { Continuation, ContinuationName } from "../../ports/store/responses.ts";
import { decodeItem } from "./item-codec.ts";
import { decodeEnding, decodeHead, decodeUsage } from "./response-codec.ts";
import { parseJson } from "../../base/json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { decodedProcedure } from "../engine/procedure.ts";
import { type AskedCalls, findAsked, type MatchedCalls, matchCalls, threadOf } from "./asked-calls.ts";
import { selectUnansweredCalls } from "./call-items.ts";
import { findVisibleResponse, type ResponseRow, selectResponse } from "./responses.ts";
import { selectEntered, selectRounds, selectState } from "./entered-responses.ts";
import { findVisibleConversation, type ThreadRow, viewOf } from "./threads.ts";
import {
  listAnswering,
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
  /** Whether its provider gave a state. */
  readonly hasState: boolean;
  /** Null also when there was no room for it. */
  readonly state: string | null;
}

interface ContinuationRow {
  readonly view: View;
  readonly isBranch: boolean;
  readonly latest: LatestRow | null;
  readonly others: readonly WaitingCalls[];
  readonly settledCalls: readonly SettledCall[];
  readonly ambiguousCalls: readonly AmbiguousCall[];
}

type Query = { readonly caller: Caller; readonly name: ContinuationName };

/** The most closed calls reported for one request; no error message lists more. */
const CLOSED_CALLS_MAX = 20;

/** Bytes of the round states that a request is given. Encrypted reasoning of that length exceeds every context window. */
const STATES_BYTES_MAX = 4 * 1024 * 1024;

/** Round states that are read one by one, after those of the turn's other branches have taken the room. */
const LONE_STATES_MAX = 16;

/** ResponseStore.findContinuation. */
export const findContinuation = decodedProcedure(
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
    const response = yield* findVisibleResponse(tx, { caller, responseId: name.responseId });
    if (response === undefined) return null;
    const named = yield* selectEntered(tx, response);
    if (named === undefined) return { ...(yield* continueUnentered(tx, response)), carriedFrom: null };
    const row = yield* continueResponse(tx, yield* findAsked(tx, caller, named, callIds));
    return { ...row, carriedFrom: row.latest?.response.id === response.id ? null : response };
  },
  (row): Continuation | null => {
    if (row === null) return null;
    const { carriedFrom, ...found } = row;
    const latest = found.latest === null ? null : decodeLatest(found.latest);
    return { ...found, latest, carried: carriedFrom === null ? (latest?.head ?? null) : decodeHead(carriedFrom) };
  },
);

/**
 * The response that a user turn carries settings from, where that is not `latest`: the named response, or the last one
 * of the conversation, while another one's calls wait. Null: it is `latest`.
 */
interface CarriedFrom {
  readonly carriedFrom: ResponseRow | null;
}

/**
 * Continues a conversation at its end, after its last live response, or after a concurrent one that still waits for
 * tool outputs.
 */
function* continueThread(tx: Transaction, thread: ThreadRow, callIds: ReadonlySet<string>): Steps<ContinuationRow> {
  const view = yield* viewOf(tx, thread, thread.endPosition);
  const waiting = yield* listWaiting(tx, thread);
  const matched = matchCalls(waiting, callIds);
  const at = matched.latest ?? (yield* latestOf(tx, thread));
  return yield* continueAt(tx, { thread, view, isBranch: false, callIds, ...matched }, at);
}

function* latestOf(tx: Transaction, { latestResponse }: ThreadRow): Steps<WaitingResponse | null> {
  const last = latestResponse === null ? undefined : yield* selectEntered(tx, { id: latestResponse });
  return last === undefined ? null : { response: last, calls: [], answeredBy: null };
}

/**
 * A response that runs, failed, or was cancelled while its node did not answer has entered no history; its status tells
 * the caller why it cannot be continued.
 */
function* continueUnentered(tx: Transaction, response: ResponseRow): Steps<ContinuationRow> {
  const thread = yield* threadOf(tx, response);
  return {
    view: yield* viewOf(tx, thread, thread.endPosition),
    isBranch: false,
    latest: { response, waiting: [], answeredBy: null, requiresOutputs: false, rounds: [] },
    others: [],
    settledCalls: [],
    ambiguousCalls: [],
  };
}

/**
 * Continues the last live response of a thread at the thread's end, as if the conversation were named: a concurrent
 * response may wait for tool outputs. Continues an earlier response there too, if its own calls wait for one of the
 * outputs sent. Continues any other response directly after itself.
 */
function* continueResponse(tx: Transaction, asked: AskedCalls): Steps<ContinuationRow> {
  const { maker, callIds, settled, ambiguous } = asked;
  const thread = yield* threadOf(tx, maker);
  const isLast = thread.latestResponse === maker.id;
  const waiting = isLast || callIds.size > 0 ? yield* listWaiting(tx, thread) : [];
  const own = waiting.find(({ response, ...each }) => response.id === maker.id && waitsFor(each, callIds));
  const isBranch = !isLast && own === undefined;
  const view = yield* viewOf(tx, thread, isBranch ? maker.lastPosition : thread.endPosition);
  const point = { thread, view, isBranch, callIds, settled };
  if (isBranch) {
    const calls = yield* waitingCallsOf(tx, maker, maker.lastPosition);
    const answeredBy = calls.length === 0 ? null : ((yield* listAnswering(tx, thread.id)).get(maker.id) ?? null);
    const matched = { others: [], ambiguous };
    return yield* continueAt(tx, { ...point, ...matched }, { response: maker, calls, answeredBy });
  }
  // A call_id that the maker waits for means its call, even if others wait for the same call_id.
  const taken = [...(own?.calls ?? []), ...settled].map(({ callId }) => callId);
  const free = callIds.difference(new Set(taken));
  const others = waiting.filter((each) => each !== own);
  const matched = matchCalls(others, free);
  const rest = own === undefined ? matched.others : others;
  const all = { others: rest, ambiguous: [...ambiguous, ...matched.ambiguous] };
  const at = own ?? matched.latest ?? { response: maker, calls: [], answeredBy: null };
  return yield* continueAt(tx, { ...point, ...all }, at);
}

interface ContinuationPoint extends Omit<MatchedCalls, "latest"> {
  readonly thread: ThreadRow;
  readonly view: View;
  readonly isBranch: boolean;
  readonly callIds: ReadonlySet<string>;
  readonly settled?: readonly SettledCall[];
}

function* continueAt(tx: Transaction, point: ContinuationPoint, at: WaitingResponse | null): Steps<ContinuationRow> {
  const { thread, view, isBranch, callIds, ambiguous: ambiguousCalls, settled = [] } = point;
  const response = at === null ? undefined : yield* selectResponse(tx, at.response);
  if (at === null || response === undefined)
    return { view, isBranch, latest: null, others: [], settledCalls: [], ambiguousCalls };
  // Only tool outputs continue responses. Other requests need none of their round states, which may be large.
  const room = { bytes: STATES_BYTES_MAX };
  const rounds = at.calls.length === 0 ? [] : yield* listRounds(tx, view, at.response.turnId, room);
  const others: WaitingCalls[] = [];
  for (const other of point.others) {
    const isOwn = other.response.turnId === at.response.turnId;
    const own = isOwn || !waitsFor(other, callIds) ? [] : yield* listRounds(tx, view, other.response.turnId, room);
    rounds.push(...own);
    others.push(describeWaiting(other, own[0]?.responseId));
  }
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
    others,
    settledCalls: settled.length > 0 || waitsFor(at, callIds) ? settled : yield* findClosedCalls(tx, thread, callIds),
    ambiguousCalls,
  };
}

/** Those of some calls of a thread that a user turn has closed. */
function* findClosedCalls(tx: Transaction, thread: ThreadRow, callIds: ReadonlySet<string>): Steps<SettledCall[]> {
  const closed: SettledCall[] = [];
  for (const callId of [...callIds].slice(0, CLOSED_CALLS_MAX)) {
    const latest = { threadId: thread.id, upTo: thread.endPosition, callId, limit: 1 };
    for (const { closedBy } of yield* selectUnansweredCalls(tx, latest))
      if (closedBy !== null) closed.push({ callId, isAnswered: false, closedBy: closedBy as ResponseId });
  }
  return closed;
}

/**
 * The rounds of a turn in the view, oldest first: it may have continued in several branches. Of their states the newest
 * are read that fit into `room`, which shrinks by them.
 */
function* listRounds(tx: Transaction, view: View, turnId: string, room: { bytes: number }): Steps<Round[]> {
  const rounds: Round[] = [];
  let loneStates = 0;
  for (const { id, threadId, lastPosition, bytes, ...round } of yield* selectRounds(tx, { turnId, room: room.bytes })) {
    if (!view.segments.some((segment) => segment.threadId === threadId && lastPosition <= segment.upTo)) continue;
    let { state } = round;
    if (bytes !== null) {
      room.bytes = Math.max(0, room.bytes - bytes);
      if (room.bytes === 0) state = null;
      else if (state === null && loneStates++ < LONE_STATES_MAX)
        state = (yield* selectState(tx, { id }))?.state ?? null;
    }
    rounds.push({ ...round, state, hasState: bytes !== null });
  }
  return rounds.reverse();
}

function decodeLatest({
  response,
  waiting,
  answeredBy,
  requiresOutputs: isRequired,
  rounds,
}: LatestRow): ContinuedResponse {
  const head = decodeHead(response);
  const stored = rounds.filter(({ hasState }) => hasState);
  const states = stored.flatMap(decodeState);
  return {
    head,
    status: response.status,
    hasEntered: response.lastPosition !== null,
    usage: decodeUsage(response),
    promptCharacters: decodeEnding(response).promptCharacters ?? head.promptCharacters ?? null,
    waitingCalls: waiting.flatMap(decodeCall),
    answeredBy: answeredBy as ResponseId | null,
    firstRound: (rounds[0]?.responseId as ResponseId | undefined) ?? head.id,
    requiresOutputs: isRequired,
    states,
    statesSize: stored.reduce((size, { state }) => size + (state?.length ?? 0), 0),
    unreadableStates: stored.length - states.length,
  };
}

/** Without the texts of the calls, which may be long and many: only their ids are needed. */
function describeWaiting(
  { response, calls, answeredBy }: WaitingResponse,
  firstRound: string = response.publicId,
): WaitingCalls {
  return {
    madeBy: response.publicId as ResponseId,
    turnId: response.turnId as ResponseId,
    firstRound: firstRound as ResponseId,
    calls: calls.map(({ publicId, callId }) => ({ id: publicId, call_id: callId })),
    answeredBy: answeredBy as ResponseId | null,
    requiresOutputs: requiresOutputs(response),
  };
}

/** A state that cannot be read is left out, as items are: the response goes on without it. */
function decodeState({ responseId, model, state }: Round): RoundState[] {
  const value = parseJson(state ?? "");
  return value === undefined ? [] : [{ responseId: responseId as ResponseId, model, state: value }];
}

/** An unreadable call cannot be answered, so it is left out, as everywhere else. */
function decodeCall(row: WaitingCall): FunctionCall[] {
  const item = decodeItem(row);
  return item?.type === "function_call" ? [item] : [];
}
