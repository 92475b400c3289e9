// The streams that are open, counted for each organization. @spec limits (Concurrency)
import { Refusal } from "../../contract/errors.ts";
import { LiveMap } from "../../core/live-map/live-map.ts";

export interface OpenStreams {
  /** Takes a place for a stream; refuses 429 `stream_limit_exceeded` when the organization holds `max`. Calling the result frees it, once. */
  open(organizationId: string, max: number): () => void;
  /** How many are open. */
  count(): number;
  /** Calls back when the service stops before the stream has ended. Calling the result takes that back. */
  onInterrupt(interrupt: () => void): () => void;
  /** Ends all streams with their unresolved event. */
  interruptAll(): void;
}

export function createOpenStreams(): OpenStreams {
  const counts = new Map<string, number>();
  const interrupts = new LiveMap<number, () => void>();
  let opened = 0;
  return {
    open(organizationId, max) {
      const held = counts.get(organizationId) ?? 0;
      if (held >= max) {
        throw new Refusal(
          "stream_limit_exceeded",
          `Your organization already holds ${max} open streams, the most it may.`,
          {
            retryAfterSeconds: 1,
          },
        );
      }
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
    count() {
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
