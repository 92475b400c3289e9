// The slots of turns that run at once, and the queue for them: first come, first served. @spec states-and-transitions;
// docs/wire.md (Queue)
import { ApiError } from "../../contract/errors.ts";
import { LiveMap } from "../../base/live-map.ts";

/** The right of one turn to run. */
export interface Slot {
  /** Whether the turn had to queue when it took the slot. */
  readonly isQueued: boolean;
  /** Resolves to true when the turn may run, to false when the slot was released before. */
  readonly granted: Promise<boolean>;
  /** Frees the slot, or leaves the queue; harmless when repeated. */
  release(): void;
}

export interface Slots {
  /** Takes a slot or a place in the queue. Throws 503 `gateway_overloaded` when both are full. */
  take(): Slot;
  /** Slots in use. */
  running(): number;
  /** Turns in the queue. */
  queued(): number;
}

interface Waiting {
  grant(mayRun: boolean): void;
}

const GRANTED = Promise.resolve(true);

export function createSlots(concurrentMax: number, queuedMax: number): Slots {
  let running = 0;
  // In order of arrival; a turn may leave from the middle.
  const queue = new LiveMap<number, Waiting>();
  let arrived = 0;

  function freeSlot(): void {
    const next = queue.takeFirst();
    if (next === undefined) running--;
    else next.grant(true);
  }

  function runningSlot(): Slot {
    running++;
    let isHeld = true;
    return {
      isQueued: false,
      granted: GRANTED,
      release() {
        if (isHeld) freeSlot();
        isHeld = false;
      },
    };
  }

  function queuedSlot(): Slot {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let isRunning = false;
    const waiting: Waiting = {
      grant(mayRun) {
        isRunning = mayRun;
        resolve(mayRun);
      },
    };
    const place = arrived++;
    queue.set(place, waiting);
    return {
      isQueued: true,
      granted: promise,
      release() {
        if (queue.take(place) !== undefined) waiting.grant(false);
        else if (isRunning) {
          isRunning = false;
          freeSlot();
        }
      },
    };
  }

  return {
    take() {
      if (running < concurrentMax) return runningSlot();
      if (queue.size < queuedMax) return queuedSlot();
      throw new ApiError(
        "gateway_overloaded",
        "The service is running as many turns as it can and its queue is full: try again.",
        {
          retryAfterSeconds: 1,
        },
      );
    },
    running: () => running,
    queued: () => queue.size,
  };
}
