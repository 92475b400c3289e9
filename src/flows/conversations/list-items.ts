// GET /v1/conversations/{conversation_id}/items. @spec endpoints/get-conversations-id-items
import { invalidInput, notFound } from "../../contract/errors.ts";
import { presentItemList } from "../../core/history/item-list.ts";
import { readItemPage } from "../../core/reading/item-page.ts";
import type { Flow } from "../flow.ts";
import { conversationIdOf } from "../path-ids.ts";

/** Replies with a page of items. Throws 400 when `after` names no item of the conversation. */
export const listItems: Flow = async (gateway, context, { caller }) => {
  const { limit, order, after, includesEncryptedContent } = readItemPage(context.query);
  const conversationId = conversationIdOf(context);
  const page = await gateway.services.store.listItems({ caller, conversationId, order, after, limit });
  switch (page.kind) {
    case "missing":
      throw notFound();
    case "no_such_item":
      throw invalidInput("after", "after names no item of this conversation.");
    case "page":
      return { kind: "json_text", text: presentItemList(page.items, page.hasMore, includesEncryptedContent) };
    default:
      return page satisfies never;
  }
};
