// The main of each of the store's threads: the writer, the reader and the one that checkpoints.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Answer, Call, Outcome, Reply, Request } from "./calls.ts";
import { emptyJournal, serveCheckpoints, watchJournal } from "./checkpoint.ts";
import { type Connection, type ConnectionSettings, openConnection } from "./connection.ts";
import { type CarriedError, carryError } from "./errors.ts";
import { runGroup } from "./group-commit.ts";
import { explainDamage, migrate } from "./migrate.ts";
import { OPERATIONS } from "./operations.ts";
import { readSnapshot } from "./snapshot.ts";

/** What a thread is told when it starts. */
export interface ThreadData {
  readonly role: "writer" | "reader" | "checkpointer";
  readonly settings: ConnectionSettings;
  /** Between the writer and the checkpointer; null for the reader. */
  readonly checkpoints: MessagePort | null;
}

/** Most calls of one group, so that the last one's answer doesn't wait for a whole queue. */
const GROUP_CALLS_MAX = 256;

/** Runs calls and answers them as it goes. */
type Server = (calls: readonly Call[], answer: (answers: Answer[]) => void) => void;

if (parentPort !== null) serve(parentPort, workerData as ThreadData);

function serve(port: MessagePort, data: ThreadData): void {
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
        opened?.serveCalls(request.calls, (answers) => reply({ kind: "answers", answers }));
        return;
      case "close":
        if (opened !== null) close(opened.connection, data);
        data.checkpoints?.close();
        port.close();
    }
  };
  port.on("message", (first: Request) => {
    for (const request of joinCalls([first, ...waiting(port)])) handle(request);
  });
}

/** What else has arrived: it joins the group that is about to run. */
function* waiting(port: MessagePort): Generator<Request> {
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
  { role, settings, checkpoints }: ThreadData,
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

/** The journal is cut when the last thread of a process lets go of the file; another process may still hold it. */
function close({ database }: Connection, { role }: ThreadData): void {
  if (role === "writer") database.exec("pragma wal_checkpoint(truncate)");
  database.close();
}

function serveReads(connection: Connection): Server {
  return (calls, answer) => answer(pair(calls, readSnapshot(connection, calls)));
}

function serveWrites(connection: Connection, checkpoints: MessagePort): Server {
  let lost: CarriedError | null = null;
  const lose = (error: CarriedError): void => {
    lost ??= error;
  };
  const journal = watchJournal(connection, checkpoints, lose);
  return (calls, answer) => {
    const outcomes = lost === null ? runGroup(connection, calls) : refuseAll(calls, lost);
    for (const outcome of outcomes) if (isLost(outcome)) lose(outcome.error);
    const empties = calls.findIndex(({ name }, index) => OPERATIONS[name].emptiesJournal && outcomes[index]?.ok);
    if (empties !== -1) {
      try {
        emptyJournal(connection);
      } catch (error) {
        outcomes[empties] = { ok: false, error: carryError(error) };
      }
    }
    answer(pair(calls, outcomes));
    journal.committed();
  };
}

function refuseAll(calls: readonly Call[], error: CarriedError): Outcome[] {
  return calls.map(() => ({ ok: false, error }));
}

function isLost(outcome: Outcome): outcome is Outcome & { ok: false } {
  return !outcome.ok && outcome.error.kind === "store" && outcome.error.storeKind === "lost";
}

function pair(calls: readonly Call[], outcomes: readonly Outcome[]): Answer[] {
  return calls.map(({ id }, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) throw new Error("A call was left without an outcome.");
    return { id, outcome };
  });
}
