// Stored items as the lists that a client sees. Their JSON text is passed through as stored.
// @spec resources/conversation-item-list
import { ApiError } from "../../contract/errors.ts";
import type { Item, UnreadableItem } from "../../contract/items.ts";
import type { ItemList } from "../../contract/resources.ts";
import { presentItem } from "../turn/present.ts";

/** One item of a list as JSON text; an item that cannot be read is a value, not an exception. */
export type ListedItem =
  | { readonly readable: true; readonly id: string; readonly text: string }
  | { readonly readable: false; readonly id: string; readonly message: string };

/**
 * The JSON text of a page (an ItemList): readable items in `data`, the others in `svc:unreadable`, which is absent when
 * there are none.
 */
export function presentItemList(
  items: readonly ListedItem[],
  hasMore: boolean,
  includesEncryptedContent: boolean,
): string {
  const ids: string[] = [];
  const texts: string[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const stored of items) {
    if (stored.readable) {
      ids.push(stored.id);
      texts.push(stored.text);
    } else unreadable.push({ type: "item_unreadable", id: stored.id, message: stored.message });
  }
  const rest: Omit<ItemList, "object" | "data"> = {
    first_id: ids[0] ?? "",
    last_id: ids.at(-1) ?? "",
    has_more: hasMore,
    ...(unreadable.length > 0 ? { "svc:unreadable": unreadable } : {}),
  };
  return `{"object":"list","data":[${presentTexts(texts, includesEncryptedContent)}],${JSON.stringify(rest).slice(1)}`;
}

/** The JSON text of one item. Throws 500 `item_unreadable` for a stored item that cannot be read. */
export function presentStoredItem(stored: ListedItem, includesEncryptedContent: boolean): string {
  if (!stored.readable) throw new ApiError("item_unreadable", stored.message);
  return presentTexts([stored.text], includesEncryptedContent);
}

/** A JSON key has bare quotation marks; inside a string they would be escaped. */
const ENCRYPTED_CONTENT_MEMBER = '"encrypted_content":';

/** Joins items. Parsing is rare: hardly any item has encrypted content to remove. */
function presentTexts(texts: readonly string[], includesEncryptedContent: boolean): string {
  const joined = texts.join(",");
  if (includesEncryptedContent || !joined.includes(ENCRYPTED_CONTENT_MEMBER)) return joined;
  return texts.map((text) => JSON.stringify(presentItem(JSON.parse(text) as Item, false))).join(",");
}
