// Which function calls of a history wait for their outputs. @spec docs/wire.md, rule 5
import type { Connection } from "../database/connection.ts";
import { selectWaitingCalls } from "./items.ts";
import { eachEntered, type EnteredRow } from "./responses.ts";

/** A call that has no output in the view that is asked about. */
export interface WaitingCall {
  readonly publicId: string;
  readonly callId: string;
  readonly body: string | null;
}

/** The calls of a response that have no output behind them up to a position of its thread. */
export function waitingCallsOf(connection: Connection, response: EnteredRow, upTo: number): WaitingCall[] {
  const { threadId, firstPosition, lastPosition } = response;
  return selectWaitingCalls(connection, { threadId, first: firstPosition, last: lastPosition, upTo });
}

/**
 * The responses at the end of a thread that nothing later has taken up, latest first: the last, and those that ran beside it. Each
 * may wait for outputs of its own. A response is taken up by a user turn that saw it, and by a later round of its own turn that did:
 * should that one's answer be deleted, its calls wait no more.
 */
function openEnds(connection: Connection, threadId: number): EnteredRow[] {
  const ends: EnteredRow[] = [];
  const seenByTurn = new Map<string, number>();
  let seenByUserTurns = 0;
  for (const response of eachEntered(connection, { threadId })) {
    const { turnId, lastPosition, seenHead } = response;
    if (lastPosition <= seenByUserTurns) break;
    const seenByOwnTurn = seenByTurn.get(turnId) ?? 0;
    if (lastPosition > seenByOwnTurn) ends.push(response);
    if (turnId === response.publicId) seenByUserTurns = Math.max(seenByUserTurns, seenHead);
    else seenByTurn.set(turnId, Math.max(seenByOwnTurn, seenHead));
  }
  return ends;
}

/** Of a thread's open ends the one that waits for a call that is answered, else one that waits for any; null when none waits. */
export function findWaiting(
  connection: Connection,
  thread: { readonly id: number; readonly headPosition: number },
  answeredCallIds: readonly string[],
): EnteredRow | null {
  const waiting = openEnds(connection, thread.id)
    .map((response) => ({ response, calls: waitingCallsOf(connection, response, thread.headPosition) }))
    .filter(({ calls }) => calls.length > 0);
  const asked = waiting.find(({ calls }) => calls.some(({ callId }) => answeredCallIds.includes(callId)));
  return (asked ?? waiting[0])?.response ?? null;
}

/** Whether a response is an open end of its thread and waits there for one of the calls that are answered. */
export function waitsAtEnd(
  connection: Connection,
  thread: { readonly id: number; readonly headPosition: number },
  response: EnteredRow,
  answeredCallIds: readonly string[],
): boolean {
  if (answeredCallIds.length === 0) return false;
  const calls = waitingCallsOf(connection, response, thread.headPosition);
  if (!calls.some(({ callId }) => answeredCallIds.includes(callId))) return false;
  return openEnds(connection, thread.id).some(({ id }) => id === response.id);
}
