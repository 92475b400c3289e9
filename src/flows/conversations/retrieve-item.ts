// GET /v1/conversations/{conversation_id}/items/{item_id}. @spec endpoints/get-conversations-id-items-id
import { notFound } from "../../contract/errors.ts";
import { presentStoredItem } from "../../core/history/item-list.ts";
import { readIncludeOfQuery } from "../../core/reading/include-list.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { conversationIdOf, itemIdOf } from "../path-ids.ts";
import { readWithRoom } from "../read-with-room.ts";

/** Replies with one item. Throws 500 `item_unreadable` when it is stored but cannot be read. */
export async function retrieveItem(
  { store }: Pick<Services, "store">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const includes = readIncludeOfQuery(context.query.get("include"));
  const conversationId = conversationIdOf(context);
  const query = { caller, conversationId, itemId: itemIdOf(context) };
  const stored = await readWithRoom(context, (room) => store.readItem({ ...query, room }));
  if (stored === null) throw notFound();
  return { kind: "json_text", pieces: presentStoredItem(stored, includes) };
}
