/**
 * STORING: the same, and each turn is durable before its end is told: what is left of the limit once turns are kept.
 * The store lives in a worker thread; turns that end while a commit is under way share the next one.
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

/** Hands everything that waits to the worker as one transaction and tells it when that is on the disk. */
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
