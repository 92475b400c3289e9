// Finds whose calls the outputs of a request answer: call_ids may repeat. See docs/wire.md (Waiting calls)
import type { ResponseId } from "../../contract/ids.ts";
import type { AmbiguousCall, SettledCall } from "../../core/response/response.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type EnteredResponse, selectContinuingCalls, selectEntered } from "./entered-responses.ts";
import { selectCallIds } from "./call-items.ts";
import type { ResponseRow } from "./responses.ts";
import { selectThread, type ThreadRow } from "./threads.ts";
import { mostUrgent, waitingCallsOf, type WaitingResponse, waitsFor } from "./waiting.ts";

/** Responses that continued the named one and are looked at after the first that waits. */
const RIVALS_MAX = 20;

/** The calls that a request with previous_response_id answers. */
export interface AskedCalls {
  readonly callIds: ReadonlySet<string>;
  /** The response that made the calls: the named one, or one that continued it. */
  readonly maker: EnteredResponse;
  /** Those of the named response that it does not wait for. Their call_ids mean no other response's calls. */
  readonly settled: readonly SettledCall[];
  /** Call_ids that several continuations of the named response wait for. */
  readonly ambiguous: readonly AmbiguousCall[];
}

/**
 * Finds whose calls outputs answer: those of the named response if it waits for one of them, else those of a response
 * that continued it, with call_ids that the named response has not used.
 */
export function* findAsked(
  tx: Transaction,
  caller: Caller,
  named: EnteredResponse,
  callIds: ReadonlySet<string>,
): Steps<AskedCalls> {
  if (callIds.size === 0) return { callIds, maker: named, settled: [], ambiguous: [] };
  const { threadId, firstPosition: first, lastPosition: last, closedBy } = named;
  const upTo = yield* endOf(tx, named);
  const open = new Set((yield* waitingCallsOf(tx, named, upTo)).map(({ callId }) => callId));
  const settled = (yield* selectCallIds(tx, { threadId, first, last, upTo }))
    .filter(({ callId }) => callIds.has(callId) && !open.has(callId))
    .map(({ callId, isAnswered }): SettledCall => {
      return { callId, isAnswered: isAnswered === 1, closedBy: closedBy as ResponseId | null };
    });
  if (callIds.intersection(open).size > 0) return { callIds, maker: named, settled, ambiguous: [] };
  const free = callIds.difference(new Set(settled.map(({ callId }) => callId)));
  const continuing = yield* findContinuing(tx, caller, named, free);
  const maker = continuing[0]?.response ?? named;
  return { callIds, maker, settled, ambiguous: findAmbiguous(continuing) };
}

/**
 * The continuations of the named response that wait for outputs sent, latest first, each with the call_ids it waits
 * for.
 */
function* findContinuing(
  tx: Transaction,
  caller: Caller,
  named: EnteredResponse,
  callIds: ReadonlySet<string>,
): Steps<{ readonly response: EnteredResponse; readonly callIds: readonly string[] }[]> {
  const found: { readonly response: EnteredResponse; readonly callIds: readonly string[] }[] = [];
  if (callIds.size === 0) return found;
  const made = yield* selectContinuingCalls(tx, { ...caller, previousResponseId: named.publicId });
  const answered = made.filter(({ callId }) => callIds.has(callId));
  let further = 0;
  for (const id of new Set(answered.map(({ responseRowid }) => responseRowid))) {
    if (found.length > 0 && ++further > RIVALS_MAX) break;
    const response = yield* selectEntered(tx, { id });
    if (response === undefined) continue;
    const calls = yield* waitingCallsOf(tx, response, yield* endOf(tx, response));
    const waiting = calls.flatMap(({ callId }) => (callIds.has(callId) ? [callId] : []));
    if (waiting.length > 0) found.push({ response, callIds: waiting });
  }
  return found;
}

/** The position up to which outputs of a response's calls count: an earlier response is continued in a branch. */
function* endOf(tx: Transaction, response: EnteredResponse): Steps<number> {
  const thread = yield* threadOf(tx, response);
  return thread.latestResponse === response.id ? thread.endPosition : response.lastPosition;
}

/** The call_ids that several responses wait for. */
function findAmbiguous(
  waiting: readonly { readonly response: EnteredResponse; readonly callIds: readonly string[] }[],
): AmbiguousCall[] {
  const makers = new Map<string, ResponseId[]>();
  for (const { response, callIds } of waiting) {
    for (const callId of callIds) makers.set(callId, [...(makers.get(callId) ?? []), response.publicId as ResponseId]);
  }
  return [...makers].flatMap(([callId, madeBy]) => (madeBy.length > 1 ? [{ callId, madeBy }] : []));
}

export interface MatchedCalls {
  /** The response to continue: one that waits for an output sent, else the one that matters most to a user turn. */
  readonly latest: WaitingResponse | null;
  readonly others: readonly WaitingResponse[];
  readonly ambiguous: readonly AmbiguousCall[];
}

/** Of the responses that wait in a thread, latest first, those that a request concerns. */
export function matchCalls(waiting: readonly WaitingResponse[], callIds: ReadonlySet<string>): MatchedCalls {
  const latest = waiting.find((each) => waitsFor(each, callIds)) ?? mostUrgent(waiting);
  const asked = waiting.map(({ response, calls }) => {
    return { response, callIds: calls.flatMap(({ callId }) => (callIds.has(callId) ? [callId] : [])) };
  });
  return { latest, others: waiting.filter((each) => each !== latest), ambiguous: findAmbiguous(asked) };
}

/** The thread of a response. */
export function* threadOf(
  tx: Transaction,
  { publicId, threadId }: Pick<ResponseRow, "publicId" | "threadId">,
): Steps<ThreadRow> {
  const thread = yield* selectThread(tx, { id: threadId });
  if (thread === undefined) throw new StoreError("failed", `The thread of ${publicId} is missing.`);
  return thread;
}
