// Reads views: the window at their end, and which items they contain. @spec endpoints/truncation-behavior
import type { View, Window } from "../../ports/store/histories.ts";
import { decodedOperation, plainOperation } from "../engine/operation.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { decodeReadable, type ItemRow } from "./item-codec.ts";
import { selectItemInSegment, selectWindowPage, type WindowRow } from "./items.ts";

/** Items that one statement reads: the first one, and the largest of the later ones, each twice the one before. */
const FIRST_PAGE = 32;
const PAGE_MAX = 512;

/** TurnStore.readWindow: its cost depends on what it returns, never on the length of the history. */
export const readWindow = decodedOperation(
  "read",
  function* (
    tx,
    { view, sizeMax, itemsMax }: { view: View; sizeMax: number; itemsMax: number },
  ): Steps<readonly ItemRow[]> {
    const rows: ItemRow[] = [];
    let size = 0;
    let limit = FIRST_PAGE;
    for (const { threadId, upTo } of view.segments.toReversed()) {
      for (let from = upTo; from > 0; ) {
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
        if (size > sizeMax || rows.length > itemsMax) return rows.reverse();
        from = found.length < asked ? 0 : (found.at(-1)?.position ?? 0) - 1;
        limit = Math.min(limit * 2, PAGE_MAX);
      }
    }
    return rows.reverse();
  },
  (rows): Window => {
    const items = decodeReadable(rows);
    return { items, unreadable: rows.length - items.length };
  },
);

/** TurnStore.findItemsInView. */
export const findItemsInView = plainOperation(
  "read",
  function* (tx, { view, itemIds }: { view: View; itemIds: readonly string[] }): Steps<readonly string[]> {
    const found: string[] = [];
    for (const itemId of itemIds) if (yield* isInView(tx, view, itemId)) found.push(itemId);
    return found;
  },
);

function* isInView(tx: Transaction, view: View, itemId: string): Steps<boolean> {
  for (const segment of view.segments) {
    if ((yield* selectItemInSegment(tx, { ...segment, itemId })) !== undefined) return true;
  }
  return false;
}
