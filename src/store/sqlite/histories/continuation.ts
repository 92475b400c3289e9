// What a later turn continues: the view of a history and the response at its end. @spec endpoints/post-responses
import type { ResponseId } from "../../../contract/ids.ts";
import type { FunctionCall } from "../../../contract/items.ts";
import type { Caller, View } from "../../../ports/histories.ts";
import type { ContinuedTurn } from "../../../core/turn/turn.ts";
import type { Continuation, ContinuationName } from "../../../ports/turns.ts";
import { StoreError } from "../../../ports/store.ts";
import { decodeItem, decodeUsage } from "./codec.ts";
import { parseStored } from "../database/stored-json.ts";
import type { Connection } from "../database/connection.ts";
import { asIs, coded } from "../database/operation.ts";
import {
  type EnteredRow,
  findVisibleResponse,
  hasEntered,
  type ResponseRow,
  selectContinuing,
  selectResponse,
  selectRoundStates,
} from "./responses.ts";
import { findVisibleConversation, selectThread, type ThreadRow, viewOf } from "./threads.ts";
import { decodeHead } from "./turns.ts";
import { findWaiting, type WaitingCall, waitingCallsOf, waitsAtEnd } from "./waiting.ts";

interface LatestRow {
  readonly response: ResponseRow;
  readonly waiting: readonly WaitingCall[];
  readonly states: readonly { readonly responseId: string; readonly model: string; readonly state: string }[];
}

interface ContinuationRow {
  readonly view: View;
  readonly isBranch: boolean;
  readonly latest: LatestRow | null;
}

type Query = { readonly caller: Caller; readonly name: ContinuationName };

/** TurnStore.findContinuation. */
export const findContinuation = coded({
  side: "read",
  encode: asIs<Query>,
  run: (connection, { caller, name }): ContinuationRow | null => {
    if (name.by === "conversation") {
      const thread = findVisibleConversation(connection, { caller, conversationId: name.conversationId });
      return thread === undefined ? null : continueThread(connection, thread, name.answeredCallIds);
    }
    const named = findVisibleResponse(connection, { caller, responseId: name.responseId });
    if (named === undefined) return null;
    if (!hasEntered(named)) return continueNothing(connection, named);
    const asked = new Set(name.answeredCallIds);
    return (
      (asked.size === 0 || isWaitingFor(connection, named, asked)
        ? null
        : continueAnswered(connection, caller, named, asked)) ??
      continueResponse(connection, named, name.answeredCallIds)
    );
  },
  decode: (row: ContinuationRow | null): Continuation | null =>
    row === null
      ? null
      : {
          view: row.view,
          isBranch: row.isBranch,
          latest: row.latest === null ? null : decodeLatest(row.latest),
        },
});

/** A conversation is continued at its end, behind its last live response, or one that ran beside it and still waits for outputs. */
function continueThread(
  connection: Connection,
  thread: ThreadRow,
  answeredCallIds: readonly string[],
): ContinuationRow {
  const view = viewOf(connection, thread, thread.headPosition);
  const latest = findWaiting(connection, thread, answeredCallIds) ?? lastOf(connection, thread);
  return {
    view,
    isBranch: false,
    latest: latest !== undefined && hasEntered(latest) ? readLatest(connection, latest, view) : null,
  };
}

function lastOf(connection: Connection, thread: ThreadRow): ResponseRow | undefined {
  return thread.latestResponse === null ? undefined : selectResponse(connection, { id: thread.latestResponse });
}

/** A running or failed response has entered no history; its status tells the caller why it can't be continued. */
function continueNothing(connection: Connection, response: ResponseRow): ContinuationRow {
  const thread = threadOf(connection, response);
  return {
    view: viewOf(connection, thread, thread.headPosition),
    isBranch: false,
    latest: { response, waiting: [], states: [] },
  };
}

/**
 * The last live response of its thread is continued at the thread's end, as if the conversation were named: one that ran beside it may
 * wait for outputs. So is an earlier one whose own calls wait there for what is sent. Any other is continued right behind itself.
 */
function continueResponse(
  connection: Connection,
  response: EnteredRow,
  answeredCallIds: readonly string[],
): ContinuationRow {
  const thread = threadOf(connection, response);
  const isLast = thread.latestResponse === response.id;
  const isBranch = !isLast && !waitsAtEnd(connection, thread, response, answeredCallIds);
  const view = viewOf(connection, thread, isBranch ? response.lastPosition : thread.headPosition);
  const waiting = isLast ? findWaiting(connection, thread, answeredCallIds) : null;
  return { view, isBranch, latest: readLatest(connection, waiting ?? response, view) };
}

/** The turn that continued the named response and waits for one of the calls that are answered; null when there is none. */
function continueAnswered(
  connection: Connection,
  caller: Caller,
  named: EnteredRow,
  asked: ReadonlySet<string>,
): ContinuationRow | null {
  const { organizationId, keyId } = caller;
  const candidates = selectContinuing(connection, { previousResponseId: named.publicId, organizationId, keyId });
  for (const candidate of candidates) {
    if (candidate.rootDeletedAtMs === null && isWaitingFor(connection, candidate, asked)) {
      return continueResponse(connection, candidate, [...asked]);
    }
  }
  return null;
}

function isWaitingFor(connection: Connection, response: EnteredRow, asked: ReadonlySet<string>): boolean {
  const thread = threadOf(connection, response);
  const upTo = thread.latestResponse === response.id ? thread.headPosition : response.lastPosition;
  return waitingCallsOf(connection, response, upTo).some(({ callId }) => asked.has(callId));
}

function readLatest(connection: Connection, response: EnteredRow, view: View): LatestRow {
  const waiting = waitingCallsOf(connection, response, view.segments.at(-1)?.upTo ?? 0);
  // Only a tool answer goes on with a turn; any other takes up none of its states, which may be large.
  const states = waiting.length === 0 ? [] : statesIn(connection, view, response.turnId);
  return { response, waiting, states };
}

/** A turn's rounds may have gone on in several branches: those count that the view holds. */
function statesIn(connection: Connection, view: View, turnId: string): LatestRow["states"] {
  const rounds = selectRoundStates(connection, { turnId });
  return rounds
    .filter(({ threadId, lastPosition }) =>
      view.segments.some((segment) => segment.threadId === threadId && lastPosition <= segment.upTo),
    )
    .map(({ responseId, model, state }) => ({ responseId, model, state }));
}

function threadOf(connection: Connection, { publicId, threadId }: ResponseRow): ThreadRow {
  const thread = selectThread(connection, { id: threadId });
  if (thread === undefined) throw new StoreError("failed", `The thread of ${publicId} is missing.`);
  return thread;
}

function decodeLatest({ response, waiting, states }: LatestRow): ContinuedTurn {
  return {
    head: decodeHead(response),
    status: response.status,
    usage: decodeUsage(response),
    waitingCalls: waiting.flatMap(decodeCall),
    states: states.map(({ responseId, model, state }) => ({
      responseId: responseId as ResponseId,
      model,
      state: parseStored<unknown>(state, `provider state of ${responseId}`),
    })),
  };
}

/** A call that cannot be read can't be answered; it is left out like everywhere else. */
function decodeCall(row: WaitingCall): FunctionCall[] {
  const item = decodeItem(row);
  return item?.type === "function_call" ? [item] : [];
}
