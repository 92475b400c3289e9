// Histories in the store: their owners and their segments.
import type { ResponseId } from "../../contract/ids.ts";
import type { HistoryItem } from "../../core/history/history-item.ts";

/**
 * The caller: every read and write of a response or a conversation is restricted, in the query itself, to the key that
 * created it.
 */
export interface Caller {
  readonly organizationId: string;
  readonly keyId: string;
}

/** A part of a history: the items of a thread up to and including a position (0: none). */
export interface Segment {
  readonly threadId: number;
  readonly upTo: number;
}

/**
 * A history as one response sees it: segments of threads, oldest first; the last one is the thread that is continued.
 */
export interface View {
  readonly segments: readonly Segment[];
  /** Total size of its live items, in characters that count towards the window. */
  readonly size: number;
  /** Number of its turns: its live items that open one. Kept as a running total, like the size. */
  readonly turns: number;
}

/** The end of a view, up to the requested size. */
export interface Window {
  /** Oldest first. */
  readonly items: readonly HistoryItem[];
  /** Whether nothing of the view lies before them. */
  readonly isWhole: boolean;
  /** The first response of their turn, for the responses in it that continue one. Empty unless requested. */
  readonly laterRounds: ReadonlyMap<ResponseId, ResponseId>;
  /** How many items in between could not be read. */
  readonly unreadable: number;
}
