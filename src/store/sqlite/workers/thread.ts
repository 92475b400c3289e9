// The store's threads as both sides see them: how one starts, and what is sent to it and back. The main thread starts
// the writer and the readers, and the writer the checkpointer.
import { Worker } from "node:worker_threads";
import type { ProcedureName } from "../../procedures.ts";
import type { ConnectionSettings } from "../database/connection.ts";
import type { SerializedError } from "../database/errors.ts";

/** Settings that all threads of a store share. */
export interface ThreadSettings extends ConnectionSettings {
  /** When the store was opened, by its clock. */
  readonly openedAtMs: number;
}

/** A thread's data at start. */
export interface ThreadData {
  readonly role: "writer" | "reader" | "checkpointer";
  readonly settings: ThreadSettings;
  /** The URL of the module that it runs (worker.ts). */
  readonly main: string;
  /** Directory of the compile cache; null when the main thread has none. */
  readonly compileCache: string | null;
  /** One number, shared: the long replies that the main thread has taken. */
  readonly taken: Int32Array<SharedArrayBuffer>;
}

/**
 * One call of a procedure, to run in a thread: its encoded argument, and the store's clock at the time of the call. Calls and
 * results are lists, because a structured clone writes the name of every member of a record.
 */
export type StoreCall = readonly [id: number, name: ProcedureName, argument: unknown, nowMs: number];

/** The encoded result of a call, or the error that it failed with. */
export type CallResult = readonly [id: number, result: unknown, error: SerializedError | null];

/** From the main thread: calls, or null to finish all calls made so far and end. */
export type WorkerRequest = readonly StoreCall[] | null;

/** To the main thread; the first says whether the thread has opened its connection. */
export type WorkerReply =
  | { readonly kind: "opened" }
  | { readonly kind: "open_failed"; readonly error: SerializedError }
  | {
      readonly kind: "results";
      readonly results: readonly CallResult[];
      /** The thread runs no more calls until the main thread has taken these. */
      readonly isLong: boolean;
      /** Time from taking the calls up to their commit. */
      readonly milliseconds: number;
    };

/**
 * The thread's bootstrap code. A worker does not inherit the main thread's compile cache; without one each worker
 * strips types itself, for which it loads a compiler of 20 MB. The cache must be enabled before the first module is
 * loaded, so this is not a module.
 */
const START = `
  const { compileCache, main } = require("node:worker_threads").workerData;
  if (compileCache !== null) require("node:module").enableCompileCache(compileCache);
  import(main);
`;

export function startThread(data: ThreadData): Worker {
  return new Worker(START, { eval: true, name: `store-${data.role}`, workerData: data });
}
