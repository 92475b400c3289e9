/** Measures how long a service is unresponsive, by health requests without a pause from a separate thread. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface SilenceWatch {
  /** The longest response time since the last call, milliseconds. */
  longest(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the requests. */
export async function watchSilence(port: number): Promise<SilenceWatch> {
  const worker = new Worker(new URL("silence-worker.ts", import.meta.url), { workerData: { port } });
  await once(worker, "message");
  return {
    longest: async () => {
      worker.postMessage("longest");
      const [milliseconds] = (await once(worker, "message")) as [number];
      return milliseconds;
    },
    stop: async () => {
      await worker.terminate();
    },
  };
}
