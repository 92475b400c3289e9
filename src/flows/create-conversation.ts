// POST /v1/conversations. @spec endpoints/post-conversations
import { planAddedItems, readAddedItems } from "../core/history/item-adding.ts";
import { readJsonBody } from "../core/reading/json-body.ts";
import { readLabels } from "../core/reading/labels.ts";
import { nowSeconds } from "../ports/clock.ts";
import { admit } from "./admission/admit.ts";
import { checkTwin, findEarlier, readClaim } from "./claims.ts";
import { answerConversationAgain, presentConversation } from "./conversation-answers.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";

/** Creates a conversation with labels and up to 20 items, both optional; so is the body. */
export async function createConversation(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { world } = gateway;
  const { caller } = await admit(gateway, exchange);
  const body = readJsonBody(await exchange.readBody(), "optional");
  const claim = readClaim(world, exchange, body);
  const items = readAddedItems(body["items"] ?? []);
  const metadata = readLabels(body["metadata"]) ?? {};
  const earlier = await findEarlier(world, caller, claim);
  if (earlier !== null) return answerConversationAgain(world, caller, earlier);
  const outcome = await world.store.createConversation({
    caller,
    conversation: { id: world.ids.mint("conversation"), createdAt: nowSeconds(world.clock), metadata },
    items: planAddedItems(items, [], (kind) => world.ids.mint(kind)),
    claim,
  });
  if (outcome.kind === "claimed") {
    return answerConversationAgain(world, caller, checkTwin(outcome.claimed, caller, claim));
  }
  return { kind: "json", body: presentConversation(outcome.value) };
}
