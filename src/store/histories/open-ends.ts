// The responses at the end of a thread that no later one has continued: the last one, and those that ran beside it. Each
// may wait for outputs of its own. They are kept with the thread, so that finding them never takes longer.
import { parseJson } from "../../base/json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { pageEntered } from "./entered-responses.ts";
import type { ThreadRow } from "./threads.ts";

/** A response that none has continued. */
interface OpenEnd {
  readonly id: number;
  readonly lastPosition: number;
  readonly turnId: string;
}

/** The most that are kept; more run beside each other only where a client begins them at once. */
const KEPT_MAX = 64;

/** The responses of a thread that none has continued, oldest first. */
export function* findOpenEnds(
  tx: Transaction,
  { id: threadId, latestResponse, openEnds }: Pick<ThreadRow, "id" | "latestResponse" | "openEnds">,
): Steps<readonly OpenEnd[]> {
  if (latestResponse === null) return [];
  const kept = (parseJson(openEnds ?? "[]") ?? []) as [id: number, lastPosition: number, turnId: string][];
  // The former release does not keep them.
  if (kept.at(-1)?.[0] === latestResponse)
    return kept.map(([id, lastPosition, turnId]) => ({ id, lastPosition, turnId }));
  return yield* searchOpenEnds(tx, threadId);
}

/**
 * The open ends once a response has entered their thread, as they are kept. A response is continued by a user turn that
 * saw it, and by a later round of its own turn that saw it.
 */
export function addOpenEnd(
  ends: readonly OpenEnd[],
  entered: OpenEnd & { readonly responseId: string; readonly seenPosition: number },
): string {
  const { id, lastPosition, turnId, responseId, seenPosition } = entered;
  const isUserTurn = turnId === responseId;
  const open = ends.filter((end) => end.lastPosition > seenPosition || !(isUserTurn || end.turnId === turnId));
  if (open.length >= KEPT_MAX) return "[]";
  return JSON.stringify([...open.map((end) => [end.id, end.lastPosition, end.turnId]), [id, lastPosition, turnId]]);
}

/** Walks back from the end of a thread. A deleted response continues none. */
function* searchOpenEnds(tx: Transaction, threadId: number): Steps<readonly OpenEnd[]> {
  const ends: OpenEnd[] = [];
  const seenByTurn = new Map<string, number>();
  let seenByUserTurns = 0;
  const entered = pageEntered(tx, threadId);
  for (let response = yield* entered.next(); response !== undefined; response = yield* entered.next()) {
    const { turnId, lastPosition, seenPosition } = response;
    if (lastPosition <= seenByUserTurns) break;
    const seenByOwnTurn = seenByTurn.get(turnId) ?? 0;
    if (lastPosition > seenByOwnTurn) ends.push(response);
    if (turnId === response.publicId) seenByUserTurns = Math.max(seenByUserTurns, seenPosition);
    else seenByTurn.set(turnId, Math.max(seenByOwnTurn, seenPosition));
  }
  return ends.reverse();
}
