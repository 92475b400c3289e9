// The slots of turns that run at once, and the queue for them: first come, first served. @spec states-and-transitions;
// docs/wire.md (Queue)
import { ApiError } from "../../contract/errors.ts";
import { LiveMap } from "../../base/live-map.ts";

/** The right of one turn to run. */
export interface Slot {
  /** Whether the turn had to queue when it took the slot. */
  readonly isQueued: boolean;
  /** Resolves to true when the turn may run, to false when it left the queue before. */
  readonly granted: Promise<boolean>;
  /** Leaves the queue; changes nothing once the turn may run. */
  leaveQueue(): void;
  /** Frees the slot, or leaves the queue; harmless when repeated. */
  release(): void;
}

/** The slots of this process. */
export interface Slots {
  /** Takes a slot or a place in the queue. Throws 503 `gateway_overloaded` when both are full. */
  take(): Slot;
  /** Slots in use. */
  running(): number;
  /** Turns in the queue. */
  queued(): number;
}

/** A queued turn. */
interface Waiting {
  grant(): void;
}

const GRANTED = Promise.resolve(true);
const notQueued = (): void => {};

/** Creates `concurrentMax` slots with a queue of `queuedMax` turns in front of them. */
export function createSlots(concurrentMax: number, queuedMax: number): Slots {
  let running = 0;
  // In order of arrival; a turn may leave from the middle.
  const queue = new LiveMap<number, Waiting>();
  let arrived = 0;

  function freeSlot(): void {
    const next = queue.takeFirst();
    if (next === undefined) running--;
    else next.grant();
  }

  function runningSlot(): Slot {
    running++;
    let isHeld = true;
    return {
      isQueued: false,
      granted: GRANTED,
      leaveQueue: notQueued,
      release() {
        if (isHeld) freeSlot();
        isHeld = false;
      },
    };
  }

  function queuedSlot(): Slot {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let isRunning = false;
    const place = arrived++;
    queue.set(place, {
      grant() {
        isRunning = true;
        resolve(true);
      },
    });
    const leaveQueue = (): void => {
      if (queue.take(place) !== undefined) resolve(false);
    };
    return {
      isQueued: true,
      granted: promise,
      leaveQueue,
      release() {
        leaveQueue();
        if (isRunning) freeSlot();
        isRunning = false;
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
      );
    },
    running: () => running,
    queued: () => queue.size,
  };
}
