// Threads that start when they are first needed, and are kept: a service at rest pays for none of them.
import type { MessagePort } from "node:worker_threads";
import type { Clock } from "../../../ports/clock.ts";
import { StoreError } from "../../../ports/store.ts";
import type { WorkerHandle } from "./handle.ts";

export type WorkerOnDemand = Pick<WorkerHandle, "ask" | "close" | "end">;

/** A thread that starts with its first call, and again after it broke down; closed or ended, it starts no more. */
export function startOnDemand(start: () => WorkerHandle): WorkerOnDemand {
  let starting: Promise<WorkerHandle> | null = null;
  let isOver = false;
  const open = async (nowMs: number): Promise<WorkerHandle> => {
    const thread = start();
    try {
      await thread.open(nowMs);
      return thread;
    } catch (error) {
      // What stood in the way may be gone by the next call.
      starting = null;
      await thread.end();
      throw error;
    }
  };
  const finish = async (how: "close" | "end"): Promise<void> => {
    isOver = true;
    const thread = await starting?.catch(() => null);
    await thread?.[how]();
  };
  return {
    ask: async (name, sent, nowMs) => {
      if (isOver) throw new StoreError("unavailable", "The store is closed.");
      const asked = (starting ??= open(nowMs));
      const thread = await asked;
      if (isOver || !thread.isGone()) return thread.ask(name, sent, nowMs);
      // It broke down. Of those that ask now, the first starts another.
      if (starting === asked) starting = null;
      return (await (starting ??= open(nowMs))).ask(name, sent, nowMs);
    },
    close: () => finish("close"),
    end: () => finish("end"),
  };
}

/** How long after a thread could not be opened it is tried again, milliseconds. */
const OPEN_AGAIN_MS = 1000;

/** A thread that starts with the first message on its port, which it takes over; it knows by its start that one has come. */
export function startWhenAsked(
  port: MessagePort,
  clock: Clock,
  start: () => WorkerHandle,
): Pick<WorkerHandle, "close"> {
  let thread: WorkerHandle | null = null;
  let isClosed = false;
  const open = (started: WorkerHandle): void => {
    // The port went with it: the writer notices (checkpoint.ts).
    if (isClosed || started.isGone()) return;
    started.open(clock.nowMs()).catch(() => clock.after(OPEN_AGAIN_MS, () => open(started)));
  };
  port.once("message", () => {
    thread = start();
    open(thread);
  });
  // Waiting for it keeps no process alive.
  port.unref();
  return {
    close: async () => {
      isClosed = true;
      if (thread === null) port.close();
      else await thread.close();
    },
  };
}
