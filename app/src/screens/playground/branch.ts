// A branch as a conversation of its own, which begins with what was said before it: the service gives it back after a
// reload, inputs included.
import { take } from "../../api/client.ts";
import type { Turn } from "./turns.ts";
import { type Item, v1 } from "./v1.ts";
import type { paths } from "../../../generated/v1.ts";

type AddBody = paths["/conversations/{conversation_id}/items"]["post"]["requestBody"]["content"]["application/json"];
type AddedItem = AddBody["items"][number];

/** Items that one request may add. */
const ITEMS_PER_CALL = 20;

/** Whether everything that a path sent is known: what a chain of responses sent is not given back. */
export function isWhole(path: readonly Turn[]): boolean {
  return path.every(({ request: { input } }) => input.length > 0);
}

/** What was said on a path, as items to begin a conversation with. A turn that got an HTTP error said nothing. */
export function itemsOf(path: readonly Turn[]): readonly AddedItem[] {
  return path
    .filter(({ response, isReadBack }) => response !== null || isReadBack)
    .flatMap(({ request: { input }, response, items }) => [
      ...(typeof input === "string"
        ? [{ type: "message" as const, role: "user" as const, content: input }]
        : input.filter((item): item is AddedItem => item.type !== "item_reference")),
      ...(response !== null && response.output.length > 0 ? response.output : items).flatMap(madeItemOf),
    ]);
}

/** What a model made, as an item to send; its reasoning is not. */
function madeItemOf(item: Item): readonly AddedItem[] {
  switch (item.type) {
    case "message": {
      const texts = item.content.map((part) =>
        part.type === "refusal" ? part.refusal : "text" in part ? part.text : "",
      );
      return [{ type: "message", role: "assistant", content: texts.join("\n") }];
    }
    case "function_call":
      return [{ type: "function_call", call_id: item.call_id, name: item.name, arguments: item.arguments }];
    default:
      return [];
  }
}

/** Begins a conversation with items; its id. Rejects with a RequestFailure. */
export async function beginConversation(items: readonly AddedItem[]): Promise<string> {
  const { id } = await take(v1.POST("/conversations", { body: { items: items.slice(0, ITEMS_PER_CALL) } }));
  for (let from = ITEMS_PER_CALL; from < items.length; from += ITEMS_PER_CALL) {
    const body = { items: items.slice(from, from + ITEMS_PER_CALL) };
    // oxlint-disable-next-line no-await-in-loop -- items stand in the order in which they are added
    await take(v1.POST("/conversations/{conversation_id}/items", { params: { path: { conversation_id: id } }, body }));
  }
  return id;
}
