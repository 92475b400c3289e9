// Idempotency keys as the store keeps them. @spec limits
import type { ConversationId, ItemId, ResponseId } from "../contract/ids.ts";

/** The claim of an Idempotency-Key, made in the transaction that does the work. @spec limits */
export interface Claim {
  /** Each endpoint keeps its own keys. */
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 of the canonical body and the path ids. */
  readonly fingerprint: string;
}

/** What an earlier request with the same organization, endpoint and key made. */
export interface Claimed {
  readonly fingerprint: string;
  /** The API key that made it. */
  readonly keyId: string;
  /** Milliseconds since 1970. */
  readonly claimedAtMs: number;
  readonly made: Made;
}

export type Made =
  | { readonly kind: "response"; readonly responseId: ResponseId; readonly streamed: boolean }
  | { readonly kind: "conversation"; readonly conversationId: ConversationId }
  | { readonly kind: "items"; readonly conversationId: ConversationId; readonly itemIds: readonly ItemId[] };

export type ClaimedOr<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "claimed"; readonly claimed: Claimed };
