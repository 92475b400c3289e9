// POST /v1/conversations/{conversation_id}: replaces all labels. @spec endpoints/post-conversations-id
import { invalidInput, notFound } from "../contract/errors.ts";
import { readJsonBody } from "../core/reading/json-body.ts";
import { readLabels } from "../core/reading/labels.ts";
import { admit } from "./admission/admit.ts";
import { checkTwin, findEarlier, readClaim } from "./claims.ts";
import { answerConversationAgain, presentConversation } from "./conversation-answers.ts";
import type { Exchange, Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { conversationIdOf } from "./path-ids.ts";

/** Answers with the relabelled conversation. Refuses 400 param `metadata` when it is missing or outside the limits. */
export async function updateConversation(gateway: Gateway, exchange: Exchange): Promise<Reply> {
  const { world } = gateway;
  const { caller } = await admit(gateway, exchange);
  const body = readJsonBody(await exchange.readBody(), "required");
  const claim = readClaim(world, exchange, body);
  const metadata = readLabels(body["metadata"]);
  if (metadata === null) throw invalidInput("metadata", "metadata is required: an object of labels, {} to clear them.");
  const conversationId = conversationIdOf(exchange);
  const earlier = await findEarlier(world, caller, claim);
  if (earlier !== null) return answerConversationAgain(world, caller, earlier);
  const outcome = await world.store.relabelConversation({ caller, conversationId, metadata, claim });
  if (outcome.kind === "claimed") {
    return answerConversationAgain(world, caller, checkTwin(outcome.claimed, caller, claim));
  }
  if (outcome.value === null) throw notFound();
  return { kind: "json", body: presentConversation(outcome.value) };
}
