// The main of each of the store's threads: the writer, the reader and the one that checkpoints.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { ANSWER_PACKING, type Call, CALL_PACKING, type Reply, type Request, type Server } from "./calls.ts";
import { serveCheckpoints } from "./checkpoint.ts";
import { type Connection, type ConnectionSettings, openConnection } from "../database/connection.ts";
import { carryError } from "../database/errors.ts";
import { explainDamage, migrate } from "../database/migrate.ts";
import type { Packed } from "../database/packing.ts";
import { serveReads } from "./reader.ts";
import { serveWrites } from "./writer.ts";

/** What a thread is told when it starts. */
export interface WorkerData {
  readonly role: "writer" | "reader" | "checkpointer";
  readonly settings: ConnectionSettings;
  /** Between the writer and the checkpointer; null for the reader. */
  readonly checkpoints: MessagePort | null;
}

/** Most calls of one group, so that the last one's answer doesn't wait for a whole queue. */
const GROUP_CALLS_MAX = 256;

if (parentPort !== null) serve(parentPort, workerData as WorkerData);

function serve(port: MessagePort, data: WorkerData): void {
  let opened: { connection: Connection; serveCalls: Server } | null = null;
  const reply = (message: Reply) => port.postMessage(message);
  const handle = (request: Request): void => {
    switch (request.kind) {
      case "open":
        try {
          opened = open(data, request.nowMs);
          reply({ kind: "opened" });
        } catch (error) {
          reply({ kind: "refused", error: carryError(explainDamage(error, data.settings.path)) });
        }
        return;
      case "calls":
        serveTimed(opened?.serveCalls, request.calls, reply);
        return;
      case "close":
        if (opened !== null) close(opened.connection, data);
        data.checkpoints?.close();
        port.close();
    }
  };
  port.on("message", (first: Request) => {
    for (const request of joinCalls([first, ...drain(port)])) handle(request);
  });
}

function serveTimed(
  serveCalls: Server | undefined,
  calls: readonly Packed<Call>[],
  reply: (message: Reply) => void,
): void {
  const startedMs = performance.now();
  serveCalls?.(calls.map(CALL_PACKING.unpack), (answers) =>
    reply({ kind: "answers", answers: answers.map(ANSWER_PACKING.pack), milliseconds: performance.now() - startedMs }),
  );
}

/** What else has arrived: it joins the group that is about to run. */
function* drain(port: MessagePort): Generator<Request> {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    yield next.message as Request;
  }
}

/** Joins neighbouring batches of calls into groups. */
function joinCalls(requests: readonly Request[]): Request[] {
  const joined: Request[] = [];
  for (const request of requests) {
    const last = joined.at(-1);
    const joins =
      request.kind === "calls" && last?.kind === "calls" && last.calls.length + request.calls.length <= GROUP_CALLS_MAX;
    if (joins) joined[joined.length - 1] = { kind: "calls", calls: [...last.calls, ...request.calls] };
    else joined.push(request);
  }
  return joined;
}

function open(
  { role, settings, checkpoints }: WorkerData,
  nowMs: number,
): { connection: Connection; serveCalls: Server } {
  const connection = openConnection(settings, role === "reader" ? "read" : "write");
  if (role === "reader") return { connection, serveCalls: serveReads(connection) };
  if (checkpoints === null) throw new Error(`The ${role} was given no port for checkpoints.`);
  if (role === "checkpointer") {
    serveCheckpoints(connection, checkpoints);
    return { connection, serveCalls: () => {} };
  }
  migrate(connection, nowMs);
  return { connection, serveCalls: serveWrites(connection, checkpoints) };
}

function close({ database }: Connection, { role }: WorkerData): void {
  if (role === "writer") {
    try {
      database.exec("pragma wal_checkpoint(truncate)");
    } catch {
      // The disk is full or another process reads the journal: it stays, and the next open goes on with it.
    }
  }
  database.close();
}
