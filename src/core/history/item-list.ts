// Stored items as the lists that a client sees. Their JSON text is passed through as stored.
// @spec resources/conversation-item-list
import { ApiError } from "../../contract/errors.ts";
import type { Item, UnreadableItem } from "../../contract/items.ts";
import type { ItemList } from "../../contract/resources.ts";
import { presentItem } from "../response/present.ts";

/** One item of a list as JSON; an item that cannot be read is a value, not an exception. */
export type ListedItem =
  | { readonly readable: true; readonly id: string; readonly text: JsonText }
  | { readonly readable: false; readonly id: string; readonly message: string };

/** JSON as it is stored: text, or its bytes where it is long. */
export type JsonText = string | Uint8Array;

/** JSON in pieces that follow one another. */
export type JsonPieces = readonly JsonText[];

/**
 * The JSON of a page (an ItemList): readable items in `data`, the others in `svc:unreadable`, which is absent when
 * there are none.
 */
export function presentItemList(
  items: readonly ListedItem[],
  hasMore: boolean,
  includesEncryptedContent: boolean,
): JsonPieces {
  const ids: string[] = [];
  const texts: JsonText[] = [];
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
  return [
    '{"object":"list","data":[',
    ...presentTexts(texts, includesEncryptedContent),
    `],${JSON.stringify(rest).slice(1)}`,
  ];
}

/** The JSON of one item. Throws 500 `item_unreadable` for a stored item that cannot be read. */
export function presentStoredItem(stored: ListedItem, includesEncryptedContent: boolean): JsonPieces {
  if (!stored.readable) throw new ApiError("item_unreadable", stored.message);
  return presentTexts([stored.text], includesEncryptedContent);
}

/** A JSON key has bare quotation marks; inside a string they would be escaped. */
const ENCRYPTED_CONTENT_MEMBER = '"encrypted_content":';

/**
 * Joins items. Parsing is rare: hardly any item has encrypted content to remove. Those that may have some are text,
 * however long they are.
 */
export function presentTexts(texts: readonly JsonText[], includesEncryptedContent: boolean): JsonPieces {
  const pieces: JsonText[] = [];
  let joined = "";
  for (const [index, text] of texts.entries()) {
    if (index > 0) joined += ",";
    if (typeof text === "string") joined += includesEncryptedContent ? text : withoutEncryptedContent(text);
    else {
      pieces.push(joined, text);
      joined = "";
    }
  }
  pieces.push(joined);
  return pieces;
}

function withoutEncryptedContent(text: string): string {
  if (!text.includes(ENCRYPTED_CONTENT_MEMBER)) return text;
  return JSON.stringify(presentItem(JSON.parse(text) as Item, false));
}
