// Entry point of the store's threads: writer, reader and checkpointer.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import {
  RESULT_PACKING,
  type StoreCall,
  CALL_PACKING,
  type WorkerReply,
  type WorkerRequest,
  type CallHandler,
} from "./messages.ts";
import { walPages, serveCheckpoints } from "./checkpoint.ts";
import { openConnection } from "../database/connection.ts";
import { serializeError } from "../database/errors.ts";
import { wrapDamageError, migrate } from "../database/migrate.ts";
import type { Packed } from "../../engine/packing.ts";
import { createFileCheck } from "../database/file-check.ts";
import { serveReads } from "./reader.ts";
import { startThread, type ThreadData } from "./thread.ts";
import { serveWrites } from "./writer.ts";

/** The most calls in one group, so that the last call does not wait for a whole queue. */
const GROUP_CALLS_MAX = 256;

if (parentPort !== null) start(parentPort, workerData as ThreadData);

function start(port: MessagePort, data: ThreadData): void {
  if (data.role === "checkpointer") return serveCheckpoints(openConnection(data.settings, "write"), port);
  const reply = (message: WorkerReply) => port.postMessage(message);
  try {
    serve(port, data.role === "writer" ? openWriter(data) : openReader(data), reply);
    reply({ kind: "opened" });
  } catch (error) {
    // Nothing keeps the thread running: it ends.
    reply({ kind: "open_failed", error: serializeError(wrapDamageError(error, data.settings.path)) });
  }
}

function serve(port: MessagePort, { handleCalls, close }: Opened, reply: (message: WorkerReply) => void): void {
  port.on("message", (first: WorkerRequest) => {
    const requests = [first, ...drain(port)];
    const calls = requests.flatMap((request) => (request.kind === "calls" ? request.calls : []));
    for (let at = 0; at < calls.length; at += GROUP_CALLS_MAX) {
      serveTimed(handleCalls, calls.slice(at, at + GROUP_CALLS_MAX), reply);
    }
    // Nothing is sent behind it.
    if (requests.at(-1)?.kind === "close") void close().then(() => port.close());
  });
}

function serveTimed(
  handleCalls: CallHandler,
  calls: readonly Packed<StoreCall>[],
  reply: (message: WorkerReply) => void,
): void {
  const startedMs = performance.now();
  handleCalls(calls.map(CALL_PACKING.unpack), (results) =>
    reply({ kind: "results", results: results.map(RESULT_PACKING.pack), milliseconds: performance.now() - startedMs }),
  );
}

/** Takes the messages that have arrived meanwhile: they join the group that is about to run. */
function* drain(port: MessagePort): Generator<WorkerRequest> {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    yield next.message as WorkerRequest;
  }
}

/** A thread with its open connection. */
interface Opened {
  readonly handleCalls: CallHandler;
  close(): Promise<void>;
}

function openReader({ settings }: ThreadData): Opened {
  const connection = openConnection(settings, "read");
  return { handleCalls: serveReads(connection), close: async () => connection.database.close() };
}

function openWriter(data: ThreadData): Opened {
  const connection = openConnection(data.settings, "write");
  migrate(connection, data.settings.openedAtMs);
  const files = createFileCheck(data.settings.path);
  const writer = serveWrites(connection, () => startThread({ ...data, role: "checkpointer" }), files.check);
  return {
    handleCalls: writer.handleCalls,
    async close() {
      await writer.close();
      try {
        files.check();
        if (walPages(connection) > 0) connection.database.exec("pragma wal_checkpoint(truncate)");
      } catch {
        // The disk is full, another process reads the WAL, or the files were replaced: the WAL stays, and the next open
        // recovers it.
      }
      connection.database.close();
    },
  };
}
