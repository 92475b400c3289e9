// Bounds the bytes of output that all running turns keep in memory at once. docs/decisions/outputs.md
//
//   a share ──64 KiB──▶ counted ──room left──▶ continues
//                          └──no room──▶ waits: its provider is read no further ──other turns end──▶ continues
//
// One turn at a time, the leader, continues without room: otherwise all might wait for each other. The turn that has
// waited longest leads. A leader that has not grown for ten seconds, because its provider is silent, is replaced.
import type { Clock, StopTimer } from "../../ports/clock.ts";

/** The unit of counting. A turn with less output is not counted, and nearly all turns have less. */
const STEP_BYTES = 64 * 1024;
/** How long a leader may be silent, milliseconds. */
const SILENCE_MS = 10_000;

/** The memory of one running turn's output. */
export interface OutputShare {
  /** Reports the bytes held so far. Returns a promise when the turn must wait for it; the promise never rejects. */
  hold(bytes: number): Promise<void> | undefined;
  /** Keeps the bytes counted for a reader, until the result is called. To be called before the turn ends. */
  keep(): () => void;
  /** The turn has ended; harmless when repeated. */
  close(): void;
}

/** The bytes of all running outputs. */
export interface OutputRoom {
  open(): OutputShare;
  /** Bytes counted now. */
  held(): number;
}

interface Holder {
  /** Readers that still need the bytes. */
  readers: number;
  hasEnded: boolean;
  /** Bytes counted, besides the first step. */
  counted: number;
  /** Null while it does not wait. */
  waiting: { readonly bytes: number; readonly resume: () => void } | null;
  /** When it last grew. */
  grewMs: number;
}

/** Creates the room for `bytesMax` bytes of output. */
export function createOutputRoom(bytesMax: number, clock: Clock): OutputRoom {
  let held = 0;
  const waiting = new Set<Holder>();
  let leader: Holder | null = null;
  let stopTimer: StopTimer | null = null;

  function grant(holder: Holder, bytes: number): void {
    held += bytes - holder.counted;
    holder.counted = bytes;
    holder.grewMs = clock.monotonicMs();
  }

  function mayGrow(holder: Holder, bytes: number): boolean {
    return holder === leader || held + bytes - holder.counted <= bytesMax;
  }

  function wake(holder: Holder): void {
    const wanted = holder.waiting;
    if (wanted === null) return;
    waiting.delete(holder);
    holder.waiting = null;
    grant(holder, wanted.bytes);
    wanted.resume();
  }

  /** Resumes all for which there is room, first come, first served, and makes the next one leader if there is none. */
  function resumeWaiting(): void {
    for (const holder of waiting) if (mayGrow(holder, holder.waiting?.bytes ?? 0)) wake(holder);
    const [next] = waiting;
    if (next !== undefined && leader === null) {
      leader = next;
      wake(next);
    }
    watchLeader();
  }

  /** While a turn waits, replaces a leader that is silent. */
  function watchLeader(): void {
    if (stopTimer !== null || waiting.size === 0) return;
    stopTimer = clock.after(SILENCE_MS, () => {
      stopTimer = null;
      if (leader !== null && clock.monotonicMs() - leader.grewMs >= SILENCE_MS) leader = null;
      resumeWaiting();
    });
  }

  function release(holder: Holder): void {
    if (!holder.hasEnded || holder.readers > 0) return;
    held -= holder.counted;
    holder.counted = 0;
    if (waiting.size > 0) resumeWaiting();
  }

  function close(holder: Holder): void {
    holder.hasEnded = true;
    if (leader === holder) leader = null;
    waiting.delete(holder);
    holder.waiting?.resume();
    holder.waiting = null;
    release(holder);
    if (waiting.size > 0) resumeWaiting();
    else if (stopTimer !== null) {
      stopTimer();
      stopTimer = null;
    }
  }

  return {
    open() {
      const holder: Holder = { readers: 0, hasEnded: false, counted: 0, waiting: null, grewMs: 0 };
      return {
        hold(bytes) {
          if (bytes <= holder.counted + STEP_BYTES) return undefined;
          const wanted = Math.floor(bytes / STEP_BYTES) * STEP_BYTES;
          if (mayGrow(holder, wanted)) {
            grant(holder, wanted);
            return undefined;
          }
          return new Promise((resume) => {
            holder.waiting?.resume();
            holder.waiting = { bytes: wanted, resume };
            waiting.add(holder);
            if (leader === null) resumeWaiting();
            else watchLeader();
          });
        },
        keep() {
          holder.readers++;
          return () => {
            holder.readers--;
            release(holder);
          };
        },
        close: () => close(holder),
      };
    },
    held: () => held,
  };
}
