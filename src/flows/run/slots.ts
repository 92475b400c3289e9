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

  return {
    take() {
      const isQueued = running >= concurrentMax;
      if (isQueued && queue.size >= queuedMax) {
        throw new ApiError(
          "gateway_overloaded",
          "The service is running as many turns as it can and its queue is full: try again.",
        );
      }
      const { promise: granted, resolve } = Promise.withResolvers<boolean>();
      const place = arrived++;
      let isRunning = false;
      const grant = (): void => {
        isRunning = true;
        resolve(true);
      };
      const leaveQueue = (): void => {
        if (queue.take(place) !== undefined) resolve(false);
      };
      if (isQueued) queue.set(place, { grant });
      else {
        running++;
        grant();
      }
      return {
        isQueued,
        granted,
        leaveQueue,
        release() {
          leaveQueue();
          if (isRunning) freeSlot();
          isRunning = false;
        },
      };
    },
    running: () => running,
    queued: () => queue.size,
  };
}
