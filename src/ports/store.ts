// What the service asks of its store. Every function is one transaction, all or nothing; the same contract test suite runs
// against every implementation (test/store/). Ids and times of what is stored arrive as arguments; only expiry (grace of a
// rotated secret, retention of an idempotency key, erasure) is judged by the store's own clock.
import type { AccountStore } from "./accounts.ts";
import type { AuditStore } from "./audit.ts";
import type { ConversationStore } from "./conversations.ts";
import type { ManagementStore } from "./management.ts";
import type { SpendingStore } from "./spending.ts";
import type { TurnStore } from "./turns.ts";

/**
 * The store could not do it. `unavailable`: nothing was changed, later it may work (locked, full, unreachable). `failed`: the
 * store is damaged or answered nonsense. `lost`: a write to disk failed in a way after which no later write can be trusted.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: "unavailable" | "failed" | "lost";

  constructor(kind: StoreError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What keeps a store in order. */
export interface StoreUpkeep {
  /** Throws a StoreError when the store cannot be read. */
  ping(): Promise<void>;
  /** Whether the store's keys were hashed with the root secret of this check value; the first that is asked for is kept. */
  fitsSecret(query: { checkValue: string }): Promise<boolean>;
  /** Forgets idempotency keys past their retention and secrets past their grace. */
  forgetExpired(query: { retentionHours: number }): Promise<{ claims: number; secrets: number }>;
  /**
   * Erases the content of what was deleted at least that many days ago: gone from the database file and from its journal when this
   * returns. Billing records (tokens, model, times) stay. At most `batch` rows a call; `more` tells whether some are left. After the
   * last of them the file may be written anew, which holds up writes; a large one only when `compactsAnySize` says so.
   */
  eraseDeleted(query: {
    olderThanDays: number;
    batch: number;
    compactsAnySize: boolean;
  }): Promise<{ erased: number; more: boolean }>;
  /** Finishes what is under way and lets the store go. */
  close(): Promise<void>;
}

/** All that a store does. */
export interface Store
  extends TurnStore,
    ConversationStore,
    AccountStore,
    SpendingStore,
    AuditStore,
    ManagementStore,
    StoreUpkeep {}
