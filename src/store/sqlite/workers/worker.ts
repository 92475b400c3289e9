// Entry point of the store's threads. A worker runs the calls that have arrived together as a group: the writer in one
// transaction, a reader on one snapshot. The checkpointer (checkpoint.ts) has no calls.
import { type MessagePort, parentPort, receiveMessageOnPort, type Worker, workerData } from "node:worker_threads";
import type { Store } from "../../../ports/store/store.ts";
import { finishErasure } from "../database/compaction.ts";
import { type Connection, openConnection } from "../database/connection.ts";
import { isFatal, type SerializedError, serializeError } from "../database/errors.ts";
import { createFileCheck } from "../database/file-check.ts";
import { migrate, wrapDamageError } from "../database/migrate.ts";
import { serveCheckpoints, walPages, watchWal } from "./checkpoint.ts";
import { failAll, readGroup, writeGroup } from "./group.ts";
import { type CallResult, startThread, type StoreCall, type ThreadData } from "./thread.ts";
import type { WorkerReply, WorkerRequest } from "./thread.ts";

/** The most calls in one group, so that the last call does not wait for a whole queue. */
const GROUP_CALLS_MAX = 256;

/** Sends results; after long ones it returns when the main thread has taken them. */
type Respond = (results: readonly CallResult[], isLong?: boolean) => void;

/** Runs calls and responds with the result of each, at once or later. */
type CallHandler = (calls: readonly StoreCall[], respond: Respond) => void;

/** A worker's connection, open. */
interface Role {
  readonly handleCalls: CallHandler;
  close(): Promise<void>;
}

if (parentPort !== null) start(parentPort, workerData as ThreadData);

function start(port: MessagePort, data: ThreadData): void {
  if (data.role === "checkpointer") return serveCheckpoints(openConnection(data.settings, "write"), port);
  const reply = (message: WorkerReply) => port.postMessage(message);
  try {
    serve(port, data.role === "writer" ? openWriter(data) : openReader(data), data.taken, reply);
    reply({ kind: "opened" });
  } catch (error) {
    // Nothing keeps the thread running: it ends.
    reply({ kind: "open_failed", error: serializeError(wrapDamageError(error, data.settings.path)) });
  }
}

function serve(
  port: MessagePort,
  { handleCalls, close }: Role,
  taken: ThreadData["taken"],
  reply: (message: WorkerReply) => void,
): void {
  const serveTimed = (calls: readonly StoreCall[]): void => {
    let startedMs = performance.now();
    handleCalls(calls, (results, isLong = false) => {
      const before = Atomics.load(taken, 0);
      reply({ kind: "results", results, isLong, milliseconds: performance.now() - startedMs });
      if (!isLong) return;
      Atomics.wait(taken, 0, before);
      startedMs = performance.now();
    });
  };
  port.on("message", (first: WorkerRequest) => {
    const requests = [first, ...drain(port)];
    const calls = requests.flatMap((request) => request ?? []);
    for (let at = 0; at < calls.length; at += GROUP_CALLS_MAX) serveTimed(calls.slice(at, at + GROUP_CALLS_MAX));
    // Nothing is sent behind it.
    if (requests.at(-1) === null) void close().then(() => port.close());
  });
}

/** Takes the messages that have arrived meanwhile: they join the group that is about to run. */
function* drain(port: MessagePort): Generator<WorkerRequest> {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    yield next.message as WorkerRequest;
  }
}

function openReader({ settings }: ThreadData): Role {
  const connection = openConnection(settings, "read");
  return {
    handleCalls: (calls, respond) => {
      for (let at = 0; at < calls.length; ) {
        const { results, isLong } = readGroup(connection, calls.slice(at));
        respond(results, isLong);
        at += results.length;
      }
    },
    close: async () => connection.database.close(),
  };
}

function openWriter(data: ThreadData): Role {
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

/**
 * Serves writes on a connection, and keeps its WAL short with a thread of its own, which `close` ends. Accepts none any
 * more once a write to disk has failed, or `checkFiles` has thrown: a restart would not find in the files what was
 * committed, so no call is reported as stored.
 */
export function serveWrites(connection: Connection, startCheckpointer: () => Worker, checkFiles: () => void): Role {
  let lost: SerializedError | null = null;
  const noteLost = (error: SerializedError | null): void => {
    if (error !== null && isFatal(error)) lost ??= error;
  };
  const wal = watchWal(connection, startCheckpointer, noteLost);
  /** The work that a call still has to do after its commit may change the files. */
  const finish = async ([id, result]: CallResult, work: () => Promise<void>): Promise<CallResult> => {
    try {
      await work();
      checkFiles();
      return [id, result, null];
    } catch (thrown) {
      const error = serializeError(thrown);
      noteLost(error);
      return [id, null, error];
    }
  };
  const handleCalls: CallHandler = (calls, respond) => {
    if (lost !== null) return respond(failAll(calls, lost));
    const results = writeGroup(connection, calls);
    try {
      checkFiles();
    } catch (error) {
      lost = serializeError(error);
      return respond(failAll(calls, lost));
    }
    for (const [, , error] of results) noteLost(error);
    const finishing = results.map((result, index) => erasureOf(connection, calls[index], result));
    respond(results.filter((_, index) => finishing[index] === null));
    for (const [index, result] of results.entries()) {
      const work = finishing[index];
      if (work) void finish(result, work).then((finished) => respond([finished]));
    }
    wal.committed();
  };
  return { handleCalls, close: wal.close };
}

type Erase = Store["eraseDeleted" | "eraseOrganization"];

/** The work that a call has left for after its commit: a successful erasure removes its remains. Null: none. */
function erasureOf(
  connection: Connection,
  call: StoreCall | undefined,
  [, result, error]: CallResult,
): (() => Promise<void>) | null {
  if (call === undefined || error !== null) return null;
  const [, name, argument] = call;
  if (name !== "eraseDeleted" && name !== "eraseOrganization") return null;
  const { erased, ...rest } = result as Awaited<ReturnType<Erase>>;
  const { mayBlockWrites } = argument as Parameters<Erase>[0];
  const isLast = "more" in rest ? !rest.more : rest.state !== "more";
  return () => finishErasure(connection, { hasErased: erased > 0, isLast, mayBlockWrites });
}
