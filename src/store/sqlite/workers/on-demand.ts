// Threads that start on first use and then stay: an idle service does without them.
import type { MessagePort } from "node:worker_threads";
import type { Clock } from "../../../ports/clock.ts";
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
  const open = async (nowMs: number): Promise<WorkerHandle> => {
    const thread = start();
    try {
      await thread.open(nowMs);
      return thread;
    } catch (error) {
      // Whatever prevented the start may be over by the next call.
      starting = null;
      await thread.terminate();
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
      const current = (starting ??= open(nowMs));
      const thread = await current;
      if (isOver || !thread.hasEnded()) return thread.call(name, argument, nowMs);
      // The thread has failed. The first of the callers that wait here starts another one.
      if (starting === current) starting = null;
      return (await (starting ??= open(nowMs))).call(name, argument, nowMs);
    },
    close: () => finish("close"),
    terminate: () => finish("terminate"),
  };
}

/** Delay before another attempt to open a thread, milliseconds. */
const OPEN_AGAIN_MS = 1000;

/**
 * A thread that starts with the first message on its port and takes the port over. The message itself is consumed here:
 * a started thread knows that one has arrived.
 */
export function startOnMessage(
  port: MessagePort,
  clock: Clock,
  start: () => WorkerHandle,
): Pick<WorkerHandle, "close"> {
  let thread: WorkerHandle | null = null;
  let isClosed = false;
  const open = (started: WorkerHandle): void => {
    // The port has ended with the thread; the writer notices (checkpoint.ts).
    if (isClosed || started.hasEnded()) return;
    started.open(clock.nowMs()).catch(() => clock.after(OPEN_AGAIN_MS, () => open(started)));
  };
  port.once("message", () => {
    thread = start();
    open(thread);
  });
  // The port must not keep the process alive.
  port.unref();
  return {
    close: async () => {
      isClosed = true;
      if (thread === null) port.close();
      else await thread.close();
    },
  };
}
