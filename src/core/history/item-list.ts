// Stored items as the lists that a client sees. @spec resources/conversation-item-list
import { Refusal } from "../../contract/errors.ts";
import type { Item, UnreadableItem } from "../../contract/items.ts";
import type { ItemList } from "../../contract/resources.ts";
import { presentItem } from "../turn/present.ts";

/** A stored item, or why it could not be read. */
export type StoredItem =
  | { readonly readable: true; readonly item: Item }
  | { readonly readable: false; readonly id: string; readonly message: string };

/** A page: the readable items as `data`, the others as `svc:unreadable` (absent when every item was read). */
export function presentItemList(
  items: readonly StoredItem[],
  hasMore: boolean,
  includesEncryptedContent: boolean,
): ItemList {
  const data: Item[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const stored of items) {
    if (stored.readable) data.push(presentItem(stored.item, includesEncryptedContent));
    else unreadable.push({ type: "item_unreadable", id: stored.id, message: stored.message });
  }
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? "",
    last_id: data.at(-1)?.id ?? "",
    has_more: hasMore,
    ...(unreadable.length > 0 ? { "svc:unreadable": unreadable } : {}),
  };
}

/** One item; refuses 500 `item_unreadable` when it is stored but can't be read. */
export function presentStoredItem(stored: StoredItem, includesEncryptedContent: boolean): Item {
  if (!stored.readable) throw new Refusal("item_unreadable", stored.message);
  return presentItem(stored.item, includesEncryptedContent);
}
