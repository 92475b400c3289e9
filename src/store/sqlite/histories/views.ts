// What a view holds: its end, as far back as it may be sent, and which items. @spec resources/truncation-behavior
import type { View, Window } from "../../../ports/histories.ts";
import { decodeReadable, type ItemRow } from "./codec.ts";
import type { Connection } from "../database/connection.ts";
import { scanBackwards, selectHeld } from "./items.ts";
import { asIs, coded, plain } from "../database/operation.ts";

/** TurnStore.readWindow: its cost follows what it returns, never the length of the history. */
export const readWindow = coded({
  side: "read",
  encode: asIs<{ view: View; sizeMax: number }>,
  run: (connection, { view, sizeMax }): readonly ItemRow[] => {
    const rows: ItemRow[] = [];
    let size = 0;
    for (const row of backwards(connection, view)) {
      rows.push(row);
      size += row.size;
      if (size > sizeMax) break;
    }
    return rows.reverse();
  },
  decode: (rows: readonly ItemRow[]): Window => {
    const items = decodeReadable(rows);
    return { items, unreadable: rows.length - items.length };
  },
});

/** TurnStore.findItemsInView. */
export const findItemsInView = plain(
  "read",
  (connection, { view, itemIds }: { view: View; itemIds: readonly string[] }): readonly string[] =>
    itemIds.filter((itemId) =>
      view.segments.some((segment) => selectHeld(connection, { ...segment, itemId }) !== undefined),
    ),
);

/** The live items of a view, newest first. */
function* backwards(connection: Connection, view: View): Generator<ItemRow> {
  for (const { threadId, upTo } of view.segments.toReversed()) {
    yield* scanBackwards(connection, { threadId, upTo });
  }
}
