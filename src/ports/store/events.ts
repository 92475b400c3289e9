// The feed of management events. Each is written in the transaction that causes it. docs/management.md
import type { EventType } from "../../contract/manage/event-types.ts";
import type { Actor } from "./audit.ts";
import type { Shortage } from "./funds.ts";

export interface FeedEvent {
  /** Counts from 1 over the whole feed, in the order of commits: a reader that has read up to an id misses none. */
  readonly id: number;
  /** Null: an event of the service. */
  readonly organizationId: string | null;
  /** As it is now; null for an event of the service. */
  readonly organizationName: string | null;
  readonly atMs: number;
  readonly type: EventType;
  /** As in the audit log: an id, or the name of a budget; null: the organization itself. */
  readonly target: string | null;
  /** The name of the key, or the e-mail address of the member, that it is about, as it was then; null: of neither. */
  readonly name: string | null;
  /** Null: it followed from responses or from the time. */
  readonly by: Actor | null;
  /** The address of that member or the name of that token, as it is now; null: neither, or it is gone. */
  readonly actorName: string | null;
  /** Figures and values under their documented names; never a secret. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** How many events of a type there are. */
export interface EventCount {
  readonly type: EventType;
  readonly events: number;
}

/** What the nodes report of a provider. */
export interface ProviderReport {
  readonly provider: string;
  readonly isFailing: boolean;
  /** Ended calls that were counted, and failed ones among them. */
  readonly calls: number;
  readonly failures: number;
}

export interface EventStore {
  /**
   * A page of one organization's events, or (null) of all. `after`: those after this id, oldest first; `before`: those
   * before it, newest first.
   */
  listEvents(query: {
    organizationId: string | null;
    from: { readonly direction: "after" | "before"; readonly id: number };
    limit: number;
  }): Promise<readonly FeedEvent[]>;
  /**
   * Counts the events of the last `lastMs` milliseconds by type, the newest `readsMax` of them at most. In the order of
   * their types; a type without events is left out.
   */
  countEvents(query: { lastMs: number; readsMax: number }): Promise<readonly EventCount[]>;
  /**
   * Adds an event that a turn was rejected or stopped for lack of money: once for a budget, its period and its limit, or
   * for a top-up of the balance.
   */
  reportShortage(report: { organizationId: string; shortage: Shortage }): Promise<void>;
  /** Adds an event if a provider's state, over all nodes, is another one than was reported last. */
  reportProvider(report: ProviderReport): Promise<void>;
}
