// Reads views: the window at their end, and which items they contain. @spec endpoints/truncation-behavior
import type { Segment, View, Window } from "../../ports/store/histories.ts";
import type { ResponseStore } from "../../ports/store/responses.ts";
import { decodedProcedure, plainProcedure } from "../engine/procedure.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { decodeReadable, type ItemRow } from "./item-codec.ts";
import { selectCallsInSegment, selectOutputInSegment } from "./call-items.ts";
import { selectItemInSegment, selectWindowPage, type WindowRow } from "./items.ts";
import { type LaterRound, selectLaterRounds } from "./entered-responses.ts";

/** Items that one statement reads: the first one, and the largest of the later ones, each twice the one before. */
const FIRST_PAGE = 32;
const PAGE_MAX = 512;

interface WindowRows {
  /** Oldest first. */
  readonly rows: readonly ItemRow[];
  readonly isWhole: boolean;
  readonly laterRounds: readonly LaterRound[];
}

/** ResponseStore.readWindow: its cost depends on what it returns, never on the length of the history. */
export const readWindow = decodedProcedure(
  "read",
  function* (
    tx,
    { view, sizeMax, itemsMax, withTurns = false }: Parameters<ResponseStore["readWindow"]>[0],
  ): Steps<WindowRows> {
    const rows: ItemRow[] = [];
    const laterRounds: LaterRound[] = [];
    let isWhole = true;
    let size = 0;
    let limit = FIRST_PAGE;
    for (const { threadId, upTo } of view.segments.toReversed()) {
      let from = upTo;
      while (from > 0 && isWhole) {
        const asked = Math.min(limit, itemsMax + 1 - rows.length);
        const found: WindowRow[] = yield* selectWindowPage(tx, {
          threadId,
          upTo: from,
          room: sizeMax - size,
          limit: asked,
        });
        for (const { position: _, ...row } of found) {
          rows.push(row);
          size += row.size;
        }
        isWhole = size <= sizeMax && rows.length <= itemsMax;
        from = isWhole && found.length < asked ? 0 : (found.at(-1)?.position ?? 1) - 1;
        limit = Math.min(limit * 2, PAGE_MAX);
      }
      // What was not read may be part of a turn in the window.
      if (withTurns || !isWhole) {
        for (const round of yield* selectLaterRounds(tx, { threadId, after: from, upTo })) laterRounds.push(round);
      }
      if (!isWhole) break;
    }
    return { rows: rows.reverse(), isWhole, laterRounds };
  },
  ({ rows, isWhole, laterRounds }): Window => {
    const items = decodeReadable(rows);
    const turns = new Map(laterRounds.map(({ responseId, turnId }) => [responseId, turnId]));
    return { items, isWhole, laterRounds: turns, unreadable: rows.length - items.length };
  },
);

/** ResponseStore.findItemsInView. */
export const findItemsInView = plainProcedure(
  "read",
  function* (tx, { view, itemIds }: { view: View; itemIds: readonly string[] }): Steps<readonly string[]> {
    const found: string[] = [];
    for (const itemId of itemIds) if (yield* holdsItem(tx, view, itemId)) found.push(itemId);
    return found;
  },
);

function* holdsItem(tx: Transaction, view: View, itemId: string): Steps<boolean> {
  for (const segment of view.segments)
    if ((yield* selectItemInSegment(tx, { ...segment, itemId })) !== undefined) return true;
  return false;
}

/** ResponseStore.findAnsweredInView. */
export const findAnsweredInView = plainProcedure(
  "read",
  function* (tx, { view, callIds }: { view: View; callIds: readonly string[] }): Steps<readonly string[]> {
    const found: string[] = [];
    for (const callId of callIds) if (yield* isAnswered(tx, view, callId)) found.push(callId);
    return found;
  },
);

/**
 * Whether a view has calls with a call_id, and an output for each. A branch may hold the output of its parent's call.
 */
function* isAnswered(tx: Transaction, { segments }: View, callId: string): Steps<boolean> {
  let hasCalls = false;
  for (const [at, segment] of segments.entries()) {
    for (const call of yield* selectCallsInSegment(tx, { ...segment, callId })) {
      const { itemId } = call;
      if (call.isAnswered === 0 && !(yield* holdsOutput(tx, segments.slice(at + 1), { callId, itemId }))) return false;
      hasCalls = true;
    }
  }
  return hasCalls;
}

function* holdsOutput(
  tx: Transaction,
  segments: readonly Segment[],
  call: { readonly callId: string; readonly itemId: string },
): Steps<boolean> {
  for (const segment of segments)
    if ((yield* selectOutputInSegment(tx, { ...segment, ...call })) !== undefined) return true;
  return false;
}
