// The main thread's handle of one of the store's threads: sends the calls of one tick together and settles their
// promises.
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { type Pace, paceAfter } from "../../../base/pace.ts";
import { LiveMap } from "../../../base/live-map.ts";
import { installation } from "../../../installation/installation.ts";
import { StoreError } from "../../../ports/store/store.ts";
import type { StoreSideTelemetry } from "../../../ports/telemetry.ts";
import { deserializeError } from "../database/errors.ts";
import type { ProcedureName } from "../../procedures.ts";
import { type CallResult, startThread, type StoreCall, type ThreadSettings } from "./thread.ts";
import type { WorkerReply, WorkerRequest } from "./thread.ts";

interface Deferred {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Results delivered to their callers in one turn of the event loop. */
const RESULTS_PER_TURN: Pace = { least: 16, most: 48, perMs: 5 };

/** Starts a thread. */
export function startWorker(role: "writer" | "reader", settings: ThreadSettings, telemetry: StoreSideTelemetry | null) {
  // Node reports the directory for its own version inside the one that was configured.
  const cache = getCompileCacheDir();
  const compileCache = cache === undefined ? null : dirname(cache);
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = startThread({ role, settings, main: installation.storeThread, compileCache, taken });
  const pending = new LiveMap<number, Deferred>();
  const opening = Promise.withResolvers<void>();
  let hasOpened = false;
  let endedWith: StoreError | null = null;
  let nextId = 1;
  let outgoing: StoreCall[] = [];
  const arrived: CallResult[] = [];

  const request = (message: WorkerRequest): void => worker.postMessage(message);
  const flush = (): void => {
    const calls = outgoing;
    outgoing = [];
    // A value that cannot be cloned fails the whole message. That is a bug of one caller, but all of them get the
    // error.
    try {
      if (calls.length > 0) request(calls);
    } catch (error) {
      const failed = new StoreError("failed", "An argument cannot be sent to the store's thread.", { cause: error });
      for (const [id] of calls) pending.take(id)?.reject(failed);
    }
  };
  const deliver = ([id, result, error]: CallResult): void => {
    const caller = pending.take(id);
    if (error === null) caller?.resolve(result);
    else caller?.reject(deserializeError(error));
  };
  const fail = (how: string, cause?: unknown): void => {
    // Reads can be repeated in another thread, and a thread that never opened has done nothing.
    const kind = role === "writer" && hasOpened ? "lost" : "unavailable";
    endedWith ??= new StoreError(kind, `The store's ${role} thread ${how}.`, { cause });
    opening.reject(endedWith);
    // Results that have arrived are delivered, though their turn of the event loop has not come yet.
    for (const result of arrived.splice(0)) deliver(result);
    for (const caller of pending.takeAll()) caller.reject(endedWith);
  };

  // Each result resumes its caller, which costs more than the delivery itself: resuming a whole group in one turn of
  // the event loop would block everything else for tens of milliseconds.
  let deliveredMs = 0;
  /** Whether the thread waits until these are taken, so that it is never ahead by more than one long reply. */
  let isWaiting = false;
  const deliverSome = (): void => {
    const nowMs = performance.now();
    const count = paceAfter(RESULTS_PER_TURN, nowMs - deliveredMs);
    deliveredMs = nowMs;
    for (const result of arrived.splice(0, count)) deliver(result);
    if (arrived.length > 0) setImmediate(deliverSome);
    else if (isWaiting) {
      isWaiting = false;
      Atomics.add(taken, 0, 1);
      Atomics.notify(taken, 0);
    }
  };
  worker.on("message", (reply: WorkerReply) => {
    if (reply.kind === "results") {
      const isIdle = arrived.length === 0;
      arrived.push(...reply.results);
      isWaiting ||= reply.isLong;
      if (reply.results.length > 0) telemetry?.groupRun(reply.results.length, reply.milliseconds);
      if (isIdle) {
        deliveredMs = performance.now();
        deliverSome();
      }
    } else if (reply.kind === "opened") {
      hasOpened = true;
      opening.resolve();
    } else opening.reject(deserializeError(reply.error));
  });
  worker.on("error", (cause) => fail(hasOpened ? "has failed" : "could not be started", cause));
  const ended = new Promise<void>((resolve) => {
    worker.on("exit", () => {
      fail("has ended");
      resolve();
    });
  });

  return {
    /** Resolves when the thread has opened its connection; rejects with a StoreError that says why it could not. */
    opened: opening.promise,
    /** Whether the thread has ended, or is being ended. */
    hasEnded: () => endedWith !== null,
    /** Runs a procedure in the thread; rejects with a StoreError or an AccountError. */
    call: (name: ProcedureName, argument: unknown, nowMs: number): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (endedWith !== null) return reject(endedWith);
        const id = nextId++;
        pending.set(id, { resolve, reject });
        if (outgoing.push([id, name, argument, nowMs]) === 1) setImmediate(flush);
      }),
    /** Finishes all calls made so far, then ends the thread. */
    close: (): Promise<void> => {
      flush();
      endedWith ??= new StoreError("unavailable", "The store is closed.");
      request(null);
      return ended;
    },
    /** Ends the thread at once and rejects its pending calls. Only for threads that do not write. */
    terminate: async (): Promise<void> => {
      endedWith ??= new StoreError("unavailable", "The store is closed.");
      await worker.terminate();
    },
  };
}

type WorkerHandle = ReturnType<typeof startWorker>;

/**
 * A thread that starts with its first call and then stays, and starts again after it has failed: an idle service does
 * without it. Once closed or terminated it does not start again.
 */
export function startOnDemand(start: () => WorkerHandle) {
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
    call: async (...given: Parameters<WorkerHandle["call"]>): Promise<unknown> => {
      if (isOver) throw new StoreError("unavailable", "The store is closed.");
      const current = (starting ??= open());
      const thread = await current;
      if (isOver || !thread.hasEnded()) return thread.call(...given);
      // The thread has failed. The first of the callers that wait here starts another one.
      if (starting === current) starting = null;
      return (await (starting ??= open())).call(...given);
    },
    close: () => finish("close"),
    terminate: () => finish("terminate"),
  };
}
