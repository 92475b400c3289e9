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
import { type Connection, type ConnectionSettings, openConnection } from "../database/connection.ts";
import { serializeError } from "../database/errors.ts";
import { readCommittedGeneration, startGeneration } from "../database/generation.ts";
import { wrapDamageError, migrate } from "../database/migrate.ts";
import type { Packed } from "../../engine/packing.ts";
import { type CommitCheck, createCommitCheck } from "../database/commit-check.ts";
import { serveReads } from "./reader.ts";
import { serveWrites } from "./writer.ts";

/** Settings that all threads of a store share. */
export interface ThreadSettings extends ConnectionSettings {
  /**
   * Open on the database file, for reading its header. It stays open as long as any connection: closing it would
   * release the process's POSIX locks on the file.
   */
  readonly descriptor: number;
}

/** A thread's data at start. */
export interface WorkerData {
  readonly role: "writer" | "reader" | "checkpointer";
  readonly settings: ThreadSettings;
  /** Connects the writer and the checkpointer; null for the reader. */
  readonly checkpoints: MessagePort | null;
}

/** The most calls in one group, so that the last call does not wait for a whole queue. */
const GROUP_CALLS_MAX = 256;

if (parentPort !== null) serve(parentPort, workerData as WorkerData);

function serve(port: MessagePort, data: WorkerData): void {
  let opened: Opened | null = null;
  const reply = (message: WorkerReply) => port.postMessage(message);
  const handle = (request: WorkerRequest): void => {
    switch (request.kind) {
      case "open":
        try {
          opened = open(data, request.nowMs);
          reply({ kind: "opened" });
        } catch (error) {
          reply({ kind: "open_failed", error: serializeError(wrapDamageError(error, data.settings.path)) });
        }
        return;
      case "calls":
        serveTimed(opened?.handleCalls, request.calls, reply);
        return;
      case "close":
        if (opened !== null) close(opened);
        data.checkpoints?.close();
        port.close();
    }
  };
  port.on("message", (first: WorkerRequest) => {
    for (const request of joinCalls([first, ...drain(port)])) handle(request);
  });
}

function serveTimed(
  handleCalls: CallHandler | undefined,
  calls: readonly Packed<StoreCall>[],
  reply: (message: WorkerReply) => void,
): void {
  const startedMs = performance.now();
  handleCalls?.(calls.map(CALL_PACKING.unpack), (results) =>
    reply({ kind: "results", results: results.map(RESULT_PACKING.pack), milliseconds: performance.now() - startedMs }),
  );
}

/** Takes the messages that have arrived meanwhile: they join the group that is about to run. */
function* drain(port: MessagePort): Generator<WorkerRequest> {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    yield next.message as WorkerRequest;
  }
}

/** Joins neighbouring batches of calls into groups. */
function joinCalls(requests: readonly WorkerRequest[]): WorkerRequest[] {
  const joined: WorkerRequest[] = [];
  for (const request of requests) {
    const last = joined.at(-1);
    const joins =
      request.kind === "calls" && last?.kind === "calls" && last.calls.length + request.calls.length <= GROUP_CALLS_MAX;
    if (joins) joined[joined.length - 1] = { kind: "calls", calls: [...last.calls, ...request.calls] };
    else joined.push(request);
  }
  return joined;
}

/** A thread with its open connection. */
interface Opened {
  readonly connection: Connection;
  readonly handleCalls: CallHandler;
  /** The writer's check of the files; null in the other threads. */
  readonly files: CommitCheck | null;
}

function open({ role, settings, checkpoints }: WorkerData, nowMs: number): Opened {
  const connection = openConnection(settings, role === "reader" ? "read" : "write");
  if (role === "reader") return { connection, handleCalls: serveReads(connection), files: null };
  if (checkpoints === null) throw new Error(`The ${role} was given no port for checkpoints.`);
  if (role === "checkpointer") {
    serveCheckpoints(connection, checkpoints);
    return { connection, handleCalls: () => {}, files: null };
  }
  migrate(connection, nowMs);
  if (readCommittedGeneration(connection) === 0) checkpoint(connection, "passive");
  const files = createCommitCheck(connection, settings.descriptor);
  return { connection, handleCalls: serveWrites(connection, checkpoints, files.check), files };
}

function close({ connection, files }: Opened): void {
  if (files !== null) {
    try {
      files.check();
      if (walPages(connection) > 0) checkpoint(connection, "truncate");
    } catch {
      // The disk is full, another process reads the WAL, or the files were replaced: the WAL stays, and the next open
      // recovers it.
    }
    files.close();
  }
  connection.database.close();
}

function checkpoint(connection: Connection, mode: "passive" | "truncate"): void {
  startGeneration(connection);
  connection.database.exec(`pragma wal_checkpoint(${mode})`);
}
