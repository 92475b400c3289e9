// Open streams, counted for each organization. @spec limits (Concurrency)
import { ApiError } from "../../contract/errors.ts";
import { FairCapacity, keyRoom, type Owner } from "../../base/fair-capacity.ts";
import { LiveMap } from "../../base/live-map.ts";

/** The open streams of an organization; those that nodes share are opened by nodes/shared-streams.ts. */
export interface OpenStreams {
  /**
   * Opens a stream; the result closes it, once. Throws 429 `stream_limit_exceeded` when the organization has `max`
   * open, or the key its share of them (docs/decisions/shares.md); rejects with a StoreError when the store that counts
   * for all nodes is out of reach.
   */
  open(owner: Owner, max: number): (() => void) | Promise<() => void>;
  /** How many streams this process has open, of one organization or of all. */
  count(organizationId?: string): number;
  /** Calls back when the service stops before the stream has ended. The result unsubscribes. */
  onInterrupt(interrupt: () => void): () => void;
  /** Calls every subscriber: all streams end with their unresolved event. */
  interruptAll(): void;
}

/** The open streams of this process. */
export interface LocalStreams extends OpenStreams {
  open(owner: Owner, max: number): () => void;
}

/** The 429 for an organization that has `max` streams open. */
export function streamLimitError(max: number): ApiError {
  return new ApiError(
    "stream_limit_exceeded",
    `Your organization already has ${max} open ${max === 1 ? "stream" : "streams"}, which is its limit.`,
  );
}

function keyStreamsError(held: number, max: number): ApiError {
  return new ApiError(
    "stream_limit_exceeded",
    `This API key already has ${held} open ${held === 1 ? "stream" : "streams"}, of the ${max} that your organization may have: the rest is for its ` +
      "other keys.",
  );
}

/** Creates the open streams of a process, none yet. */
export function createOpenStreams(): LocalStreams {
  const held = new FairCapacity(Infinity);
  const interrupts = new LiveMap<number, () => void>();
  let opened = 0;
  return {
    open(owner, max) {
      const left = max - held.heldBy(owner.organizationId);
      if (left <= 0) throw streamLimitError(max);
      if (keyRoom(left, held.heldBy(owner)) < 1) throw keyStreamsError(held.heldBy(owner), max);
      held.take(owner, 1);
      let isOpen = true;
      return () => {
        if (isOpen) held.giveBack(owner, 1);
        isOpen = false;
      };
    },
    count: (organizationId) => (organizationId === undefined ? held.held : held.heldBy(organizationId)),
    onInterrupt(interrupt) {
      const key = opened++;
      interrupts.set(key, interrupt);
      return () => void interrupts.take(key);
    },
    interruptAll() {
      for (const interrupt of interrupts.takeAll()) interrupt();
    },
  };
}
