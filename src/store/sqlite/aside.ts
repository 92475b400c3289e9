// The thread for what takes long, beside the reader that requests wait for: started when it is first needed, and kept.
import { StoreError } from "../../ports/store.ts";
import type { Thread } from "./thread.ts";

export type AsideThread = Pick<Thread, "ask" | "end">;

/** A thread that starts with its first call; ended, it starts no more. */
export function startOnDemand(start: () => Thread): AsideThread {
  let starting: Promise<Thread> | null = null;
  let isEnded = false;
  const open = async (nowMs: number): Promise<Thread> => {
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
  return {
    ask: async (name, sent, nowMs) => {
      if (isEnded) throw new StoreError("unavailable", "The store is closed.");
      const thread = await (starting ??= open(nowMs));
      return thread.ask(name, sent, nowMs);
    },
    end: async () => {
      isEnded = true;
      const thread = await starting?.catch(() => null);
      await thread?.end();
    },
  };
}
