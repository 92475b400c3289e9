// How many turns run at once, and who waits: first come, first served. @spec states-and-transitions; docs/wire.md, rule 2
import { Refusal } from "../../contract/errors.ts";
import { LiveMap } from "../../core/live-map/live-map.ts";

/** A turn's right to run. */
export interface Slot {
  /** Whether it has to wait; decided when it is taken. */
  readonly isQueued: boolean;
  /** Resolves when it may run: true; false when it was released before. */
  readonly granted: Promise<boolean>;
  /** Gives it back, or leaves the queue; harmless when repeated. */
  release(): void;
}

export interface Slots {
  /** Takes a slot or a place in the queue; refuses 503 `gateway_overloaded` when both are full. */
  take(): Slot;
  /** Turns that hold a slot. */
  running(): number;
  /** Turns that wait for one. */
  queued(): number;
}

interface Waiting {
  grant(mayRun: boolean): void;
}

const GRANTED = Promise.resolve(true);

export function createSlots(concurrentMax: number, queuedMax: number): Slots {
  let running = 0;
  // In the order of arrival; anyone may leave from the middle.
  const queue = new LiveMap<number, Waiting>();
  let arrived = 0;

  function handOn(): void {
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
        if (isHeld) handOn();
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
          handOn();
        }
      },
    };
  }

  return {
    take() {
      if (running < concurrentMax) return runningSlot();
      if (queue.size < queuedMax) return queuedSlot();
      throw new Refusal(
        "gateway_overloaded",
        "All turns this service may run are taken and its queue is full: try again.",
        {
          retryAfterSeconds: 1,
        },
      );
    },
    running: () => running,
    queued: () => queue.size,
  };
}
