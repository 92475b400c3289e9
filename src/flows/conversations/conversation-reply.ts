// The conversation object that the conversation routes reply with, and its replay for a repeated Idempotency-Key.
// @spec resources/conversation
import { deletedResultError } from "../../core/idempotency/verdict.ts";
import type { Conversation, Metadata } from "../../contract/resources.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { EarlierClaim } from "../../ports/store/claims.ts";
import type { ConversationRecord } from "../../ports/store/conversations.ts";
import type { Services } from "../../ports/services.ts";
import type { Reply } from "../request-context.ts";

/** The conversation object. */
export function presentConversation({ id, createdAt, metadata }: ConversationRecord): Conversation {
  return { id, object: "conversation", created_at: createdAt, metadata };
}

/**
 * The reply to a retry: the same as to the first request, whatever labels the conversation has by now. `metadata` are
 * the retry's, equal to the first request's because the bodies are equal. Throws 409 `idempotency_conflict` when the
 * conversation was deleted.
 */
export async function replayConversation(
  { store }: Pick<Services, "store">,
  caller: Caller,
  earlier: EarlierClaim,
  metadata: Metadata,
): Promise<Reply> {
  const { result } = earlier;
  if (result.kind !== "conversation") throw new Error(`a conversation route claimed ${result.kind}`);
  const record = await store.readConversation({ caller, conversationId: result.conversationId });
  if (record === null) throw deletedResultError();
  return { kind: "json", body: presentConversation({ ...record, metadata }) };
}
