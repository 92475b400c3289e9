// Converts between rows of items and items. Their content is stored as JSON text. An unreadable row decodes to a value,
// not to an exception.
import { crc32 } from "node:zlib";
import type { ResponseId } from "../../contract/ids.ts";
import type { Item, MessageRole } from "../../contract/items.ts";
import type { HistoryItem, NewItem } from "../../core/history/history-item.ts";
import type { JsonText, ListedItem } from "../../core/history/item-list.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { packing } from "../engine/packing.ts";

/** A new item as columns of its row, without those that its place in the thread determines. */
export interface ItemColumns {
  readonly publicId: string;
  readonly ordinal: number | null;
  readonly kind: string;
  readonly callId: string | null;
  readonly answers: string | null;
  readonly opensTurn: number;
  readonly carried: number;
  readonly size: number;
  readonly body: string;
  /** CRC-32 of the body. */
  readonly bodyChecksum: number;
}

/** New items in messages to the writer. */
export const ITEM_PACKING = packing<ItemColumns>({
  publicId: true,
  ordinal: true,
  kind: true,
  callId: true,
  answers: true,
  opensTurn: true,
  carried: true,
  size: true,
  body: true,
  bodyChecksum: true,
});

/** An item's row as all readers need it. */
export interface BodyRow {
  readonly publicId: string;
  /** Null once erased. */
  readonly body: string | null;
}

/** An item's row as a list needs it. */
export interface ListedRow {
  readonly publicId: string;
  /** Text, or bytes of text; null once erased. */
  readonly body: JsonText | null;
  /** CRC-32 of the body when it was written; null in rows from before checksums. */
  readonly bodyChecksum: number | null;
}

/** Bodies above this are read as bytes. */
const LONG_BYTES = 64 * 1024;

/**
 * The body of an item that is passed through as it is stored: a long one as bytes, of which no engine makes text only to
 * be turned into bytes again. Reasoning is text, because a part of it may have to be removed.
 */
export const LISTED_BODY = `
         case when octet_length(i.body) > ${LONG_BYTES} and i.kind <> 'reasoning' then cast(i.body as blob) else i.body end`;

/** The columns of ListedRow, for a select. */
export const LISTED_COLUMNS = `
         i.public_id     as publicId,
         ${LISTED_BODY}  as body,
         i.body_checksum as bodyChecksum`;

/**
 * An item's row as a history needs it. The body of reasoning is null: no model is sent it, so it counts nothing towards
 * the size.
 */
export interface ItemRow extends BodyRow {
  readonly kind: string;
  readonly responseId: string | null;
  readonly answers: string | null;
  readonly opensTurn: number;
  readonly carried: number;
  readonly size: number;
}

/**
 * Whether two call_ids are the same, as a condition. They may be longer than the keys of PostgreSQL's indexes, so
 * its index has their first 500 characters.
 */
export function sameCallId(column: string, value: string): string {
  return `substr(${column}, 1, 500) = substr(${value}, 1, 500) and ${column} = ${value}`;
}

/**
 * The call that an item answers. Outputs that were stored before links existed have none. They belong to the calls of
 * the response that their own response answered; once that response is erased, to no call ('').
 */
export const ANSWERS = `
         coalesce(i.answers,
                  case i.kind
                  when 'function_call_output' then
                    (select coalesce(call.public_id, '')
                       from responses answering
                       join responses maker on maker.id = answering.answers_id
                       left join items call
                         on call.thread_id = maker.thread_id
                        and ${sameCallId("call.call_id", "i.call_id")}
                        and call.position between maker.first_position and maker.last_position
                        and call.kind = 'function_call'
                      where answering.public_id = i.response_id)
                  end)   as answers`;

/** The columns of ItemRow, for a select. */
export const ITEM_COLUMNS = `
         i.public_id     as publicId,
         case i.kind when 'reasoning' then null else i.body end as body,
         i.kind          as kind,
         i.response_id   as responseId, ${ANSWERS},
         i.opens_turn    as opensTurn,
         i.carried       as carried,
         i.size          as size`;

/** The row of a new item; `ordinal` is its index in its response's output, null for other items. */
export function encodeItem({ item, opensTurn, carried, answers, size }: NewItem, ordinal: number | null): ItemColumns {
  const body = JSON.stringify(item);
  return {
    publicId: item.id,
    ordinal,
    kind: item.type,
    callId: item.type === "function_call" || item.type === "function_call_output" ? item.call_id : null,
    answers,
    opensTurn: opensTurn ? 1 : 0,
    carried: carried ? 1 : 0,
    size,
    body,
    bodyChecksum: crc32(body),
  };
}

/** The message in place of an item that is stored but cannot be read. */
export const UNREADABLE_MESSAGE = "The stored content of this item cannot be read.";

/**
 * An item for a list: its JSON text, or its id and an error message. A text that matches its checksum need not be
 * parsed.
 */
export function decodeListed({ publicId: id, body, bodyChecksum }: ListedRow): ListedItem {
  if (body === null) return { readable: false, id, message: "The content of this item has been erased." };
  const isReadable = crc32(body) === bodyChecksum || parseItem(textOf(body), id) !== null;
  return isReadable ? { readable: true, id, text: body } : { readable: false, id, message: UNREADABLE_MESSAGE };
}

function textOf(body: JsonText): string {
  return typeof body === "string" ? body : Buffer.from(body).toString();
}

/** The readable items of some rows, in order. */
export function decodeReadable(rows: readonly ItemRow[]): HistoryItem[] {
  const items: HistoryItem[] = [];
  for (const row of rows) {
    const item: Item | null =
      row.kind === "reasoning" ? { type: "reasoning", id: row.publicId, summary: [] } : decodeItem(row);
    if (item === null) continue;
    items.push({
      item,
      responseId: row.responseId as ResponseId | null,
      opensTurn: row.opensTurn === 1,
      carried: row.carried === 1,
      answers: row.answers,
      size: row.size,
    });
  }
  return items;
}

/** The item of a row; null when it was erased or cannot be read. */
export function decodeItem({ publicId, body }: BodyRow): Item | null {
  return body === null ? null : parseItem(body, publicId);
}

/** The item of a stored body; null when the body is not the JSON of an item with that id. */
function parseItem(body: string, id: string): Item | null {
  const value = parseJson(body);
  return isItem(value) && value.id === id ? value : null;
}

/**
 * Written out, because importing them would load the schema library into each of the store's threads, 20 MB a thread.
 */
const ROLES: Readonly<Record<MessageRole, true>> = { user: true, assistant: true, system: true, developer: true };

/** Whether a parsed value has the fields that every reader of an item needs. Written by hand, for the same reason. */
function isItem(value: unknown): value is Item {
  if (!isJsonObject(value) || typeof value["id"] !== "string") return false;
  switch (value["type"]) {
    case "message":
      return (
        Object.hasOwn(ROLES, String(value["role"])) &&
        Array.isArray(value["content"]) &&
        value["content"].every(isTextual)
      );
    case "function_call":
      return hasTexts(value, ["call_id", "name", "arguments"]);
    case "function_call_output":
      return hasTexts(value, ["call_id", "output"]);
    case "reasoning":
      return Array.isArray(value["summary"]);
    default:
      return false;
  }
}

function isTextual(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  if (part["type"] === "output_text" && !Array.isArray(part["annotations"])) return false;
  return typeof (part["type"] === "refusal" ? part["refusal"] : part["text"]) === "string";
}

function hasTexts(record: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => typeof record[name] === "string");
}
