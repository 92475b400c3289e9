// Idempotency keys in the store. @spec limits
import type { ConversationId, ItemId, ResponseId } from "../../contract/ids.ts";

/** A claim of an Idempotency-Key, stored in the transaction that creates its result. @spec limits */
export interface Claim {
  /** Each endpoint has its own keys. */
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 of the canonical body and the path ids. */
  readonly fingerprint: string;
}

/** The claim and result of an earlier request with the same organization, endpoint and key. */
export interface EarlierClaim {
  readonly fingerprint: string;
  /** The API key of that request. */
  readonly keyId: string;
  /** Milliseconds since 1970. */
  readonly claimedAtMs: number;
  readonly result: ClaimResult;
}

/** What a request with a claim created or changed. */
export type ClaimResult =
  | { readonly kind: "response"; readonly responseId: ResponseId; readonly streamed: boolean }
  | { readonly kind: "conversation"; readonly conversationId: ConversationId }
  | { readonly kind: "items"; readonly conversationId: ConversationId; readonly itemIds: readonly ItemId[] };

/** A write with a claim: done, or nothing was stored because an earlier request has claimed the key. */
export type ClaimOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "claimed"; readonly earlier: EarlierClaim };
