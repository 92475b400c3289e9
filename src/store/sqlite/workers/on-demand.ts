// Threads that start on first use and then stay: an idle service does without them.
import { StoreError } from "../../../ports/store/store.ts";
import type { WorkerHandle } from "./handle.ts";

export type WorkerOnDemand = Pick<WorkerHandle, "call" | "close" | "terminate">;

/**
 * A thread that starts with its first call, and again after it has failed. Once closed or terminated it does not start
 * again.
 */
export function startOnDemand(start: () => WorkerHandle): WorkerOnDemand {
  let starting: Promise<WorkerHandle> | null = null;
  let isOver = false;
  const open = async (): Promise<WorkerHandle> => {
    const thread = start();
    try {
      await thread.opened;
      return thread;
    } catch (error) {
      // Whatever prevented the start may be over by the next call.
      starting = null;
      throw error;
    }
  };
  const finish = async (how: "close" | "terminate"): Promise<void> => {
    isOver = true;
    const thread = await starting?.catch(() => null);
    await thread?.[how]();
  };
  return {
    call: async (name, argument, nowMs) => {
      if (isOver) throw new StoreError("unavailable", "The store is closed.");
      const current = (starting ??= open());
      const thread = await current;
      if (isOver || !thread.hasEnded()) return thread.call(name, argument, nowMs);
      // The thread has failed. The first of the callers that wait here starts another one.
      if (starting === current) starting = null;
      return (await (starting ??= open())).call(name, argument, nowMs);
    },
    close: () => finish("close"),
    terminate: () => finish("terminate"),
  };
}
