// Open streams, counted for each organization. @spec limits (Concurrency)
import { ApiError } from "../../contract/errors.ts";
import { LiveMap } from "../../base/live-map.ts";

/** The open streams of an organization; those that nodes share are opened by nodes/shared-streams.ts. */
export interface OpenStreams {
  /**
   * Opens a stream; the result closes it, once. Throws 429 `stream_limit_exceeded` when the organization has `max`
   * open; rejects with a StoreError when the store that counts for all nodes is out of reach.
   */
  open(organizationId: string, max: number): (() => void) | Promise<() => void>;
  /** How many streams this process has open, of one organization or of all. */
  count(organizationId?: string): number;
  /** Calls back when the service stops before the stream has ended. The result unsubscribes. */
  onInterrupt(interrupt: () => void): () => void;
  /** Calls every subscriber: all streams end with their unresolved event. */
  interruptAll(): void;
}

/** The open streams of this process. */
export interface LocalStreams extends OpenStreams {
  open(organizationId: string, max: number): () => void;
}

/** The 429 for an organization that has `max` streams open. */
export function streamLimitError(max: number): ApiError {
  return new ApiError(
    "stream_limit_exceeded",
    `Your organization already has ${max} open streams, which is its limit.`,
  );
}

/** Creates the open streams of a process, none yet. */
export function createOpenStreams(): LocalStreams {
  const counts = new Map<string, number>();
  const interrupts = new LiveMap<number, () => void>();
  let opened = 0;
  return {
    open(organizationId, max) {
      const held = counts.get(organizationId) ?? 0;
      if (held >= max) throw streamLimitError(max);
      counts.set(organizationId, held + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (counts.get(organizationId) ?? 1) - 1;
        if (left === 0) counts.delete(organizationId);
        else counts.set(organizationId, left);
      };
    },
    count(organizationId) {
      if (organizationId !== undefined) return counts.get(organizationId) ?? 0;
      let count = 0;
      for (const held of counts.values()) count += held;
      return count;
    },
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
