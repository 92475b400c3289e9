// The store's port. Every function is one transaction, all or nothing; the same contract test suite runs against every
// implementation (test/store/). Ids and times of stored objects arrive as arguments; the store's own clock decides only
// about expiry (grace of a rotated secret, retention of an idempotency key, erasure).
import type { AccountStore } from "./accounts.ts";
import type { Actor, AuditStore } from "./audit.ts";
import type { ConversationStore, MovingStore } from "./conversations.ts";
import type { EventStore } from "./events.ts";
import type { ExportStore } from "./exports.ts";
import type { ManagementStore } from "./management.ts";
import type { MoneyStore } from "./money.ts";
import type { FailureStore } from "./failures.ts";
import type { RejectionStore } from "./rejections.ts";
import type { ResponseLogStore } from "./response-log.ts";
import type { ResponseStore } from "./responses.ts";
import type { UsageLineStore } from "./usage-lines.ts";

/**
 * A call to the store failed. `unavailable`: nothing was changed (but see UnconfirmedWrite), and it may work
 * later (locked, full, unreachable). `failed`: the store is damaged or returned nonsense. `lost`: a write to disk
 * failed in a way after which no later write can be trusted. `gone`: its files are no longer those that were opened, so
 * that further writes would be lost.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: "unavailable" | "failed" | "lost" | "gone";

  constructor(kind: StoreError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * The database did not answer a commit and could not be asked about it: the write took effect whole, or not at all.
 * What repeats such a write has to cope with both.
 */
export class UnconfirmedWrite extends StoreError {
  constructor(message: string, options?: ErrorOptions) {
    super("unavailable", message, options);
  }
}

/**
 * A later version of the program has migrated the schema, or is about to, and not compatibly. `failed` when the store is
 * opened; `unavailable` when the schema was migrated since then. The process has to end.
 */
export class LaterSchema extends StoreError {}

/** Whether the store can never work again after an error, so that the process has to end. */
export function endsStore(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.kind === "lost" || error.kind === "gone");
}

/** A key or a token that is still hashed with a former root secret. */
export interface FormerHash {
  readonly id: string;
  readonly name: string;
  /** Null: a token of the operator. */
  readonly organizationId: string | null;
  readonly organizationName: string | null;
  /** How many of its secrets are; a rotated key may have several. */
  readonly secrets: number;
}

export interface FormerHashes {
  readonly keys: readonly FormerHash[];
  readonly tokens: readonly FormerHash[];
}

/** How many secrets of keys, and how many tokens, are. */
export interface FormerCount {
  readonly keys: number;
  readonly tokens: number;
}

/** Maintenance of a store. */
export interface StoreUpkeep {
  /**
   * Throws a StoreError when the store cannot be read, or is no longer the one that was opened (`gone`), and a
   * LaterSchema.
   */
  ping(): Promise<void>;
  /** Whether the store's hashes are made with the root secret of this check value. The first value is stored. */
  fitsSecret(query: { checkValue: string }): Promise<boolean>;
  /**
   * From now on the hashes are made with the root secret of another check value. Ends all sessions, and sign-in links.
   * False, and nothing is changed, if that is so already. Throws an AccountError if they are made with neither.
   */
  rotateRootSecret(rotation: { by: Actor; from: string; to: string }): Promise<boolean>;
  /**
   * The valid keys and tokens that have a hash of another root secret than this one's, by organization and name; tokens
   * of the operator come last.
   */
  listFormerHashes(query: { checkValue: string }): Promise<FormerHashes>;
  countFormerHashes(query: { checkValue: string }): Promise<FormerCount>;
  /**
   * Deletes idempotency keys after their retention, secrets after their grace, events of the feed, rejected
   * requests and sums of failures after their retention. Adds an event for each rotated secret that ends within SECRET_ENDS_HOURS.
   */
  forgetExpired(query: {
    retentionHours: number;
    eventDays: number;
  }): Promise<{ claims: number; secrets: number; events: number; rejections: number; failures: number }>;
  /**
   * Deletes an organization's histories that were used last more than that many days ago, its deleted conversations
   * among them; their content is then erased without waiting (`eraseDeleted`). A history in which a response runs
   * stays. Looks at up to `limit` histories after the row `after`, 0 for the first call; `next` continues there, null
   * when all were looked at.
   */
  expireHistories(query: {
    organizationId: string;
    olderThanDays: number;
    after: number;
    limit: number;
  }): Promise<{ expired: number; next: number | null }>;
  /**
   * Erases the content of what was deleted at least that many days ago, and of expired histories; when this resolves,
   * no read finds it, and the embedded store holds it in none of its files. Billing records (tokens, model, times)
   * stay. At most `batch` rows and about 4 MiB per call; `more` says whether some are left. An engine that has to block
   * writes for long to remove the last traces does so only with `mayBlockWrites`.
   */
  eraseDeleted(query: {
    olderThanDays: number;
    batch: number;
    mayBlockWrites: boolean;
  }): Promise<{ erased: number; more: boolean }>;
  /** Finishes pending work and closes the store. */
  close(): Promise<void>;
}

/** All functions of a store. */
export interface Store
  extends ResponseStore,
    ResponseLogStore,
    ConversationStore,
    MovingStore,
    AccountStore,
    MoneyStore,
    UsageLineStore,
    AuditStore,
    EventStore,
    RejectionStore,
    FailureStore,
    ManagementStore,
    ExportStore,
    StoreUpkeep {}
