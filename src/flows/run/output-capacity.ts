// Bounds the bytes of output that all running responses keep in memory at once. docs/decisions/outputs.md
//
//   a response ──64 KiB──▶ counted ──fits its share──▶ continues
//                         └──none──▶ waits: its provider is read no further ──other responses end──▶ continues
//
// If every response waited, none would end and free its memory. So one at a time, the leader, continues without a reservation.
// What it holds beyond its share is not taken from the shares of others. The next leader is chosen when that memory is
// free, so that memory is bounded. While others wait, a leader whose provider is silent is ended. Organizations and
// keys take turns.
import { FairCapacity, type Owner } from "../../base/fair-capacity.ts";
import { FairQueue } from "../../base/fair-queue.ts";
import type { Clock, StopTimer } from "../../ports/clock.ts";

/** The unit of counting. A response with less output is not counted, and nearly all responses have less. */
const STEP_BYTES = 64 * 1024;
/** How long a leader may be silent while others wait, milliseconds: one whose client has gone, and any other. */
const SILENCE_MS = 10_000;
const SILENCE_READ_MS = 60_000;

/** The response of an output, as far as the capacity has to know it. */
export interface OutputOwner {
  readonly owner: Owner;
  /** Whether its client is still there. */
  isRead(): boolean;
  /** Ends the response, because others wait for its memory while its provider is silent; called once. */
  giveWay(): void;
}

/** What one running response's output has reserved. */
export interface OutputReservation {
  /** Reports the bytes held so far. Returns a promise when the response must wait for it; the promise never rejects. */
  growTo(bytes: number): Promise<void> | undefined;
  /** Keeps the bytes counted for a reader, until the result is called. To be called before the response ends. */
  keepForReader(): () => void;
  /** The response has ended; harmless when repeated. */
  close(): void;
}

/** The memory for all running outputs. */
export interface OutputCapacity {
  open(response: OutputOwner): OutputReservation;
  /** Bytes counted now. */
  held(): number;
}

interface Holder {
  readonly response: OutputOwner;
  /** Readers that still need the bytes. */
  readers: number;
  hasEnded: boolean;
  hasGivenWay: boolean;
  /** Bytes counted in the share of its owner, besides the first step. */
  counted: number;
  /** Bytes that it holds beyond that as the leader. */
  beyond: number;
  /** Null while it does not wait. */
  waiting: { readonly bytes: number; readonly resume: () => void; readonly leave: () => boolean } | null;
  /** When its provider was heard last. */
  heardMs: number;
}

/** Creates the capacity for `bytesMax` bytes of output. */
export function createOutputCapacity(bytesMax: number, clock: Clock): OutputCapacity {
  const capacity = new FairCapacity(bytesMax, STEP_BYTES);
  const queue = new FairQueue<Holder>();
  let leader: Holder | null = null;
  let stopTimer: StopTimer | null = null;

  /** Counts what the holder wants: in its owner's share, or beyond it if it leads. False when it has to wait. */
  function tryGrow(holder: Holder, bytes: number): boolean {
    const more = bytes - holder.counted - holder.beyond;
    if (capacity.tryTake(holder.response.owner, more)) holder.counted += more;
    else if (holder === leader) holder.beyond += more;
    else return false;
    return true;
  }

  function resume(holder: Holder): void {
    const { waiting } = holder;
    holder.waiting = null;
    holder.heardMs = clock.monotonicMs();
    waiting?.resume();
  }

  function stopWaiting(holder: Holder): void {
    if (holder.waiting === null) return;
    holder.waiting.leave();
    resume(holder);
  }

  /** Resumes all that fit, in turn, and makes the next one leader if there is none. */
  function resumeWaiting(): void {
    if (queue.size === 0) return;
    const growsNow = (holder: Holder) => tryGrow(holder, holder.waiting?.bytes ?? 0);
    for (let next = queue.takeNext(growsNow); next !== undefined; next = queue.takeNext(growsNow)) resume(next);
    if (leader === null) {
      leader = queue.takeNext() ?? null;
      if (leader !== null) {
        growsNow(leader);
        resume(leader);
      }
    }
    watchLeader();
  }

  /** While a response waits, looks now and then whether the leader is silent. */
  function watchLeader(): void {
    if (stopTimer !== null || queue.size === 0) return;
    stopTimer = clock.after(SILENCE_MS, () => {
      stopTimer = null;
      if (leader !== null && !leader.hasEnded && !leader.hasGivenWay) {
        const silentMs = clock.monotonicMs() - leader.heardMs;
        if (silentMs >= (leader.response.isRead() ? SILENCE_READ_MS : SILENCE_MS)) {
          leader.hasGivenWay = true;
          leader.response.giveWay();
        }
      }
      watchLeader();
    });
  }

  /** Frees the memory of a response that has ended once nobody reads it. */
  function release(holder: Holder): void {
    if (!holder.hasEnded || holder.readers > 0) return;
    capacity.giveBack(holder.response.owner, holder.counted);
    holder.counted = 0;
    holder.beyond = 0;
    if (leader === holder) leader = null;
    resumeWaiting();
    if (queue.size > 0 || stopTimer === null) return;
    stopTimer();
    stopTimer = null;
  }

  return {
    open(response) {
      const holder: Holder = {
        response,
        readers: 0,
        hasEnded: false,
        hasGivenWay: false,
        counted: 0,
        beyond: 0,
        waiting: null,
        heardMs: 0,
      };
      return {
        growTo(bytes) {
          if (holder === leader) holder.heardMs = clock.monotonicMs();
          if (bytes <= holder.counted + holder.beyond + STEP_BYTES) return undefined;
          const wanted = Math.floor(bytes / STEP_BYTES) * STEP_BYTES;
          stopWaiting(holder);
          if (tryGrow(holder, wanted)) return undefined;
          return new Promise((resolve) => {
            holder.waiting = { bytes: wanted, resume: resolve, leave: queue.add(response.owner, holder) };
            if (leader === null) resumeWaiting();
            else watchLeader();
          });
        },
        keepForReader() {
          holder.readers++;
          return () => {
            holder.readers--;
            release(holder);
          };
        },
        close() {
          if (holder.hasEnded) return;
          holder.hasEnded = true;
          stopWaiting(holder);
          release(holder);
        },
      };
    },
    // Only the leader holds something beyond the shares.
    held: () => capacity.held + (leader?.beyond ?? 0),
  };
}
