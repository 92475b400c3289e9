// POST /v1/conversations/{conversation_id}/items. @spec endpoints/post-conversations-items
import { invalidInput, notFound } from "../contract/errors.ts";
import { refuseGoneResult } from "../core/accounts/replay.ts";
import { callsAnsweredElsewhere, planAddedItems, readAddedItems } from "../core/history/item-adding.ts";
import { presentItemList } from "../core/history/item-list.ts";
import { readIncludeOfQuery } from "../core/reading/include-list.ts";
import type { InputItem } from "../core/reading/input-items.ts";
import { readJsonBody } from "../core/reading/json-body.ts";
import type { Caller } from "../ports/histories.ts";
import type { Claimed } from "../ports/claims.ts";
import type { World } from "../ports/world.ts";
import { admit } from "./admission/admit.ts";
import { checkTwin, findEarlier, readClaim } from "./claims.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf } from "./path-ids.ts";

/** Adds up to 20 items, all or none, and answers with the list of just those. */
export async function addItems(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { world } = gateway;
  const { caller } = await admit(gateway, exchange);
  const body = readJsonBody(await exchange.readBody(), "required");
  const claim = readClaim(world, exchange, body);
  const includes = readIncludeOfQuery(exchange.query.get("include"));
  if (body["items"] === undefined || body["items"] === null)
    throw invalidInput("items", "items is required: an array of items.");
  const items = readAddedItems(body["items"]);
  const conversationId = conversationIdOf(exchange);
  const earlier = await findEarlier(world, caller, claim);
  if (earlier !== null) return answerItemsAgain(world, caller, earlier, includes);
  const unanswered = await findUnanswered(world, caller, conversationId, items);
  const added = planAddedItems(items, unanswered, (kind) => world.ids.mint(kind));
  const outcome = await world.store.addItems({ caller, conversationId, items: added, claim });
  if (outcome.kind === "claimed") {
    return answerItemsAgain(world, caller, checkTwin(outcome.claimed, caller, claim), includes);
  }
  if (outcome.value === null) throw notFound();
  const stored = outcome.value.map(({ item }) => ({
    readable: true as const,
    id: item.id,
    text: JSON.stringify(item),
  }));
  return { kind: "json_text", text: presentItemList(stored, false, includes) };
}

/** The calls of the conversation that outputs among the items may answer. Refuses the uniform 404. */
async function findUnanswered(
  world: World,
  caller: Caller,
  conversationId: string,
  items: readonly InputItem[],
): Promise<readonly string[]> {
  const callIds = callsAnsweredElsewhere(items);
  if (callIds.length === 0) return [];
  const unanswered = await world.store.findUnansweredCalls({ caller, conversationId, callIds });
  if (unanswered === null) throw notFound();
  return unanswered;
}

/** Answers a retry with the items as they are now; 409 when one of them is gone. */
async function answerItemsAgain(world: World, caller: Caller, earlier: Claimed, includes: boolean): Promise<Reply> {
  const { made } = earlier;
  if (made.kind !== "items") throw new Error(`adding items claimed ${made.kind}`);
  const { conversationId, itemIds } = made;
  const items = await world.store.readItems({ caller, conversationId, itemIds });
  if (items === null || items.length < itemIds.length) throw refuseGoneResult();
  return { kind: "json_text", text: presentItemList(items, false, includes) };
}
