// Replies whose clients have not read them yet. What the system does not take at once stays in memory: a client that
// does not read is cut off after a while, and at once when others need the memory. docs/decisions/replies.md
import type { ServerResponse } from "node:http";
import type { Clock, StopTimer } from "../../ports/clock.ts";

/** A reader reads so much in each interval, or the rest. That is 280 kbit/s, and all of a short reply. */
const READ_BYTES_MIN = 1024 * 1024;
const INTERVAL_MS = 30_000;
/** Bytes of unread replies without a reservation. */
const BYTES_MAX = 64 * 1024 * 1024;

/** A reply without a reservation. */
interface Unread {
  readonly response: ServerResponse;
  readonly bytes: number;
}

/** The unread replies of a server. */
export class UnreadReplies {
  readonly #clock: Clock;
  readonly #onCut: () => void;
  /** Oldest first. */
  readonly #counted = new Set<Unread>();
  #bytes = 0;

  /** `onCut` is called when a reader was cut off. */
  constructor(clock: Clock, onCut: () => void) {
    this.#clock = clock;
    this.#onCut = onCut;
  }

  /**
   * Watches a reply until it is sent, and cuts its reader off when that reads too slowly. `unsent` is how many bytes the
   * system has not taken yet. Without `isReserved` they count: beyond 64 MiB the oldest of these replies are cut off.
   */
  watch(response: ServerResponse, unsent: () => number, isReserved: boolean): void {
    const bytes = unsent();
    if (bytes === 0 || response.destroyed) return;
    let stopTimer = this.#checkLater(response, unsent, bytes, (stop) => (stopTimer = stop));
    const unread = { response, bytes };
    response.once("close", () => {
      stopTimer();
      this.#forget(unread);
    });
    if (isReserved) return;
    this.#counted.add(unread);
    this.#bytes += bytes;
    for (const oldest of this.#counted) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#forget(oldest);
      this.#cut(oldest.response);
    }
  }

  /** Looks after an interval whether the reader has read on. */
  #checkLater(
    response: ServerResponse,
    unsent: () => number,
    before: number,
    onArmed: (stop: StopTimer) => void,
  ): StopTimer {
    return this.#clock.after(INTERVAL_MS, () => {
      const now = unsent();
      // A pipelined reply waits for the one before it, whose own reader is watched.
      const isNext = response.socket !== null;
      if (isNext && now > Math.max(0, before - READ_BYTES_MIN)) this.#cut(response);
      else if (now > 0) onArmed(this.#checkLater(response, unsent, now, onArmed));
    });
  }

  #forget(unread: Unread): void {
    if (this.#counted.delete(unread)) this.#bytes -= unread.bytes;
  }

  #cut(response: ServerResponse): void {
    this.#onCut();
    response.destroy();
  }
}
