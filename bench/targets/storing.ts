/**
 * STORING: TRANS, but each turn is durable before its end is reported: the limit once turns are stored. The store runs
 * in a worker thread; turns that end during a commit share the next one.
 */
import { Worker } from "node:worker_threads";
import { serveTranslation, type FinishedTurn } from "./translate.ts";

const worker = new Worker(new URL("./storing-worker.ts", import.meta.url), {
  workerData: process.env["STORE"],
});

let waiting: FinishedTurn[] = [];
let tellings: (() => void)[] = [];
let isCommitting = false;

worker.on("message", () => {
  isCommitting = false;
});

serveTranslation((turn, tell) => {
  waiting.push(turn);
  tellings.push(tell);
  if (!isCommitting) setImmediate(commit);
});

/** Passes all waiting turns to the worker as one transaction and reports when it is on disk. */
function commit(): void {
  if (isCommitting || waiting.length === 0) return;
  isCommitting = true;
  const told = tellings;
  worker.once("message", () => {
    for (const tell of told) tell();
    commit();
  });
  worker.postMessage(waiting);
  waiting = [];
  tellings = [];
}
