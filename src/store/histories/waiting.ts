// Finds the function calls of a history that wait for outputs, are being answered, or are closed.
// See docs/wire.md (Waiting calls)
import type { Steps, Transaction } from "../engine/transaction.ts";
import { selectWaitingCalls } from "./call-items.ts";
import {
  type EnteredResponse,
  answeredIds,
  selectAnswering,
  selectLive,
  selectEntered,
  markCallsClosed,
} from "./entered-responses.ts";
import { findOpenEnds } from "./open-ends.ts";
import type { ThreadRow } from "./threads.ts";

/** A call without an output in the view. */
export interface WaitingCall {
  readonly publicId: string;
  readonly callId: string;
  readonly body: string | null;
}

/** A response whose calls wait at the end of its thread. */
export interface WaitingResponse {
  readonly response: EnteredResponse;
  readonly calls: readonly WaitingCall[];
  /** Public id of the running response that answers them; null: none does. */
  readonly answeredBy: string | null;
}

/** The calls of a response without an output after them, up to a position of its thread; none once they are closed. */
export function* waitingCallsOf(tx: Transaction, response: EnteredResponse, upTo: number): Steps<WaitingCall[]> {
  const { threadId, firstPosition, lastPosition, closedBy } = response;
  if (closedBy !== null) return [];
  return yield* selectWaitingCalls(tx, { threadId, first: firstPosition, last: lastPosition, upTo });
}

/**
 * The responses whose calls wait at the end of a thread, latest first: those that nothing has continued, and those that
 * are being answered.
 */
export function* listWaiting(tx: Transaction, thread: ThreadRow): Steps<WaitingResponse[]> {
  const { id: threadId, endPosition } = thread;
  const answering = yield* listAnswering(tx, threadId);
  const ends: EnteredResponse[] = [];
  for (const { id } of (yield* findOpenEnds(tx, thread)).toReversed()) {
    const end = yield* selectEntered(tx, { id });
    if (end !== undefined) ends.push(end);
  }
  const endIds = new Set(ends.map(({ id }) => id));
  for (const id of answering.keys()) {
    const round = endIds.has(id) ? undefined : yield* selectEntered(tx, { id });
    if (round !== undefined) ends.push(round);
  }
  const waiting: WaitingResponse[] = [];
  for (const response of ends) {
    const calls = yield* waitingCallsOf(tx, response, endPosition);
    if (calls.length > 0) waiting.push({ response, calls, answeredBy: answering.get(response.id) ?? null });
  }
  return waiting;
}

/**
 * The running responses of a thread that answer calls, by the rowid of the response that made the calls. Calls of a
 * deleted response are left out.
 */
export function* listAnswering(tx: Transaction, threadId: number): Steps<ReadonlyMap<number, string>> {
  const answering = new Map<number, string>();
  for (const response of yield* selectAnswering(tx, { threadId })) {
    for (const id of answeredIds(response)) {
      if ((yield* selectLive(tx, { id })) !== undefined) answering.set(id, response.publicId);
    }
  }
  return answering;
}

/**
 * Whether a user turn has to wait for the outputs of a response's calls: not if the response was cut short, or if a
 * response that answered them was deleted.
 */
export function requiresOutputs({ status, callsExcused }: Pick<EnteredResponse, "status" | "callsExcused">): boolean {
  return status === "completed" && callsExcused === 0;
}

/**
 * Of the responses that wait in a thread, the one that matters most to a user turn: one being answered, then one that
 * requires outputs, then any. Null when none waits.
 */
export function mostUrgent(waiting: readonly WaitingResponse[]): WaitingResponse | null {
  return (
    waiting.find(({ answeredBy }) => answeredBy !== null) ??
    waiting.find(({ response }) => requiresOutputs(response)) ??
    waiting[0] ??
    null
  );
}

/** Whether one of these calls is waiting. */
export function waitsFor({ calls }: Pick<WaitingResponse, "calls">, callIds: ReadonlySet<string>): boolean {
  return calls.some(({ callId }) => callIds.has(callId));
}

/** Closes the waiting calls in a thread of those responses that are passed and not being answered. */
export function* closeCalls(
  tx: Transaction,
  thread: ThreadRow,
  close: { closedBy: string; isPassed: (response: EnteredResponse) => boolean },
): Steps<void> {
  for (const { response, answeredBy } of yield* listWaiting(tx, thread)) {
    if (answeredBy !== null || !close.isPassed(response)) continue;
    yield* markCallsClosed(tx, { id: response.id, closedBy: close.closedBy });
  }
}
