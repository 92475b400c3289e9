// A conversation as its routes answer it, and what a repeated Idempotency-Key on them means. @spec resources/conversation
import { refuseGoneResult } from "../core/accounts/replay.ts";
import type { Conversation } from "../contract/resources.ts";
import type { Caller } from "../ports/histories.ts";
import type { Claimed } from "../ports/claims.ts";
import type { ConversationRecord } from "../ports/conversations.ts";
import type { World } from "../ports/world.ts";
import type { Reply } from "./exchange.ts";

/** The conversation object. */
export function presentConversation({ id, createdAt, metadata }: ConversationRecord): Conversation {
  return { id, object: "conversation", created_at: createdAt, metadata };
}

/** Answers a retry with the conversation as it is now; 409 `idempotency_conflict` when it was deleted. */
export async function answerConversationAgain(world: World, caller: Caller, earlier: Claimed): Promise<Reply> {
  const { made } = earlier;
  if (made.kind !== "conversation") throw new Error(`a conversation route claimed ${made.kind}`);
  const record = await world.store.readConversation({ caller, conversationId: made.conversationId });
  if (record === null) throw refuseGoneResult();
  return { kind: "json", body: presentConversation(record) };
}
