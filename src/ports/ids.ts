// Generates identifiers: random in the service, counted in tests.
import type { ConversationId, IdKind, ItemId, ResponseId } from "../contract/ids.ts";

export interface Ids {
  /** A new public id of that kind. */
  mint(kind: "response"): ResponseId;
  mint(kind: "conversation"): ConversationId;
  mint(kind: Exclude<IdKind, "response" | "conversation">): ItemId;
  /** A call_id, for providers that send none. */
  mintCallId(): string;
  /** For `x-request-id`. */
  mintRequestId(): string;
}

/** Objects whose ids only the management side sees; a transaction is one of the ledger. */
export type AccountIdKind = "organization" | "member" | "key" | "transaction" | "token" | "session" | "increase";

/** Creates their ids: random, and ordered by time of creation. */
export type MintAccountId = (kind: AccountIdKind) => string;
