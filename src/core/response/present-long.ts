// A long response as the object that a client sees, in pieces: its long parts are passed through as stored.
// @spec resources/response-object
import type { UnreadableItem } from "../../contract/items.ts";
import type { ResponseObject } from "../../contract/resources.ts";
import { type JsonPieces, type JsonText, type ListedItem, presentTexts } from "../history/item-list.ts";
import { presentResponse } from "./present.ts";
import type { StoredResponse, ResponseHead } from "./response.ts";

/** A response with its long parts as JSON. */
export interface LongResponse {
  /** The response without output, and with null in place of the long members of its head. */
  readonly response: StoredResponse;
  /** The JSON of those members, by their names. */
  readonly members: ReadonlyMap<string, JsonText>;
  readonly output: readonly ListedItem[];
}

/** The members of a response that show a member of a head as it is: those that a client can make long. */
const SHOWN_AS_STORED: Partial<Record<keyof ResponseObject, keyof ResponseHead>> = {
  instructions: "instructions",
  metadata: "metadata",
  reasoning: "reasoning",
  safety_identifier: "safetyIdentifier",
  text: "text",
  tool_choice: "toolChoice",
  tools: "tools",
};

/** The JSON of a long response's object, see presentResponse. */
export function presentLongResponse(long: LongResponse, includesEncryptedContent?: boolean): JsonPieces {
  const { members, output } = long;
  const response =
    long.response.end === null
      ? long.response
      : { ...long.response, end: { ...long.response.end, ...unreadableOf(output) } };
  const texts = output.flatMap((item) => (item.readable ? [item.text] : []));
  const pieces: JsonText[] = [];
  let written = "{";
  const pass = (passed: JsonPieces) => {
    pieces.push(written, ...passed);
    written = "";
  };
  for (const [name, value] of Object.entries(presentResponse(response, includesEncryptedContent))) {
    written += `${written === "{" ? "" : ","}${JSON.stringify(name)}:`;
    const stored = members.get(SHOWN_AS_STORED[name as keyof ResponseObject] ?? "");
    if (name === "output") {
      written += "[";
      pass(presentTexts(texts, includesEncryptedContent ?? response.head.includesEncryptedContent));
      written += "]";
    } else if (stored === undefined) written += JSON.stringify(value);
    else pass([stored]);
  }
  pieces.push(`${written}}`);
  return pieces;
}

/** The items of an output that cannot be read, as a response's end names them: no member when there are none. */
export function unreadableOf(output: readonly ListedItem[]): { readonly unreadable?: readonly UnreadableItem[] } {
  const unreadable: UnreadableItem[] = output.flatMap((item) =>
    item.readable ? [] : [{ type: "item_unreadable", id: item.id, message: item.message }],
  );
  return unreadable.length === 0 ? {} : { unreadable };
}
