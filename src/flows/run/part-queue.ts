// Passes a provider's parts on in batches, one per turn of the event loop: one event may carry 100,000 parts.
import type { ProviderPart } from "../../ports/provider.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";

/** Parts in one batch: each takes a few microseconds, up to twenty for a streamed tool call. */
const BATCH_PARTS = 512;

/** The parts of one provider call on their way to the output. */
export interface PartQueue {
  /** Takes parts; implements Receive. */
  take(parts: readonly ProviderPart[]): Promise<void> | undefined;
  /** Resolves when all have been passed on. */
  settled(): Promise<void>;
}

/** A queue in front of `pass`, which must not throw; the next batch waits for the promise it returns. */
export function createPartQueue(pass: (parts: readonly ProviderPart[]) => Promise<void> | undefined): PartQueue {
  let waiting: (readonly ProviderPart[])[] = [];
  let passing: Promise<void> | null = null;

  async function passWaiting(before?: Promise<void>): Promise<void> {
    await before;
    while (waiting.length > 0) {
      const taken = waiting;
      waiting = [];
      for (const parts of taken) {
        for (let start = 0; start < parts.length; start += BATCH_PARTS) {
          await yieldToEventLoop();
          await pass(parts.slice(start, start + BATCH_PARTS));
        }
      }
    }
    passing = null;
  }

  return {
    take(parts) {
      if (passing === null && parts.length <= BATCH_PARTS) {
        const taken = pass(parts);
        if (taken !== undefined) passing = passWaiting(taken);
      } else {
        waiting.push(parts);
        passing ??= passWaiting();
      }
      return passing ?? undefined;
    },
    settled: () => passing ?? Promise.resolve(),
  };
}
