/**
 * Requests `/healthz` over one connection without a pause. Replies to each message with the longest response time since
 * the last.
 */
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const REQUEST = "GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n";
const PAUSE_MS = 1;

const { port } = workerData as { port: number };
const socket = connect(port, "127.0.0.1");
let askedAt = 0;
let longest = 0;

function ask(): void {
  askedAt = performance.now();
  socket.write(REQUEST);
}

socket.setNoDelay(true);
socket.on("data", () => {
  longest = Math.max(longest, performance.now() - askedAt);
  setTimeout(ask, PAUSE_MS);
});
socket.once("connect", () => {
  ask();
  parentPort?.postMessage("asking");
});
parentPort?.on("message", () => {
  // A pending request counts with the time it has waited.
  parentPort?.postMessage(Math.max(longest, performance.now() - askedAt));
  longest = 0;
});
