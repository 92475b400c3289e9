// Histories as the store keeps them: whose they are, and the stretches that they are made of.
import type { HistoryItem } from "../core/history/history-item.ts";

/** Who asks: every read and write of a response or a conversation is bound to the key that created it, in the query itself. */
export interface Caller {
  readonly organizationId: string;
  readonly keyId: string;
}

/** Histories are threads. A stretch of one: its items up to and with a position (0: none). */
export interface Segment {
  readonly threadId: number;
  readonly upTo: number;
}

/** A history as its reader sees it: stretches of threads, oldest first; the last is the thread that is continued. */
export interface View {
  readonly segments: readonly Segment[];
  /** Characters that its live items count towards the window. */
  readonly size: number;
  /** How many turns it holds: its live items that open one (a running count, like the size). */
  readonly turns: number;
}

/** The end of a view, as much of it as was asked for. */
export interface Window {
  /** Oldest first. */
  readonly items: readonly HistoryItem[];
  /** How many more stand between them that could not be read. */
  readonly unreadable: number;
}
