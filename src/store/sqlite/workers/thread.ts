// Starts the store's threads. The main thread starts the writer and the readers, and the writer the checkpointer.
import { Worker } from "node:worker_threads";
import type { ConnectionSettings } from "../database/connection.ts";

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
}

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
