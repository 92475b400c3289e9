// GET /v1/conversations/{conversation_id}/items. @spec endpoints/get-conversations-id-items
import { invalidInput, notFound } from "../../contract/errors.ts";
import { presentItemList } from "../../core/history/item-list.ts";
import { readItemPage } from "../../core/reading/item-page.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { conversationIdOf } from "../path-ids.ts";
import { readWithRoom } from "../read-with-room.ts";

/** Replies with a page of items. Throws 400 when `after` names no item of the conversation. */
export async function listItems(
  { store }: Pick<Services, "store">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const { limit, order, after, includesEncryptedContent } = readItemPage(context.query);
  const conversationId = conversationIdOf(context);
  const query = { caller, conversationId, order, after, limit };
  const page = await readWithRoom(context, (room) => store.listItems({ ...query, room }));
  switch (page.kind) {
    case "missing":
      throw notFound();
    case "no_such_item":
      throw invalidInput("after", "after names no item of this conversation.");
    case "page":
      return { kind: "json_text", pieces: presentItemList(page.items, page.hasMore, includesEncryptedContent) };
    default:
      return page satisfies never;
  }
}
