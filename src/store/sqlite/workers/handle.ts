// The main thread's end of one of the store's threads: calls of one tick travel together, answers find their callers.
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { type MessagePort, Worker } from "node:worker_threads";
import { type Pace, paceAfter } from "../../../core/pacing/pace.ts";
import { LiveMap } from "../../../core/live-map/live-map.ts";
import { StoreError } from "../../../ports/store.ts";
import type { StoreSideTelemetry } from "../../../ports/telemetry.ts";
import { type Answer, ANSWER_PACKING, type Call, CALL_PACKING, type Reply, type Request } from "./calls.ts";
import type { ConnectionSettings } from "../database/connection.ts";
import { kindOf, reviveError } from "../database/errors.ts";
import type { OperationName } from "../operations.ts";
import type { Packed } from "../database/packing.ts";
import type { WorkerData } from "./worker.ts";

interface Caller {
  resolve(answered: unknown): void;
  reject(error: Error): void;
}

/** A caller of an operation, and since when it waits. */
interface Waiting extends Caller {
  readonly name: OperationName;
  readonly askedMs: number;
}

/**
 * How a thread starts. The compile cache of the main thread is not a worker's: without one each would strip types by itself, for
 * which it loads a compiler of 20 MB. The cache must be on before the first module is loaded, so this is no module.
 */
const START = `
  const { compileCache, main } = require("node:worker_threads").workerData;
  if (compileCache !== null) require("node:module").enableCompileCache(compileCache);
  import(main);
`;

interface StartData {
  /** Directory of the compile cache; null when the main thread has none. */
  readonly compileCache: string | null;
  readonly main: string;
}

function startData(): StartData {
  const directory = getCompileCacheDir();
  return {
    // What is told is the directory of this version of Node inside of the one that was asked for.
    compileCache: directory === undefined ? null : dirname(directory),
    main: new URL("./worker.ts", import.meta.url).href,
  };
}

/** Answers handed to their callers in one turn of the event loop. */
const ANSWERS_PER_TURN: Pace = { least: 16, most: 48, perMs: 5 };

/** A running thread. */
export interface WorkerHandle {
  /** Opens the thread's connection; rejects with the StoreError that explains why it can't be. */
  open(nowMs: number): Promise<void>;
  /** Whether it has ended, or could not be started: it opens nothing any more. */
  isGone(): boolean;
  /** Runs an operation there; rejects with a StoreError or an AccountError. */
  ask(name: OperationName, sent: unknown, nowMs: number): Promise<unknown>;
  /** Answers what has been asked, then ends the thread. */
  close(): Promise<void>;
  /** Ends the thread at once; what has been asked is refused. Only for one that writes nothing. */
  end(): Promise<void>;
}

/** Starts a thread; it opens nothing yet, so that threads start side by side. */
export function startWorker(
  role: WorkerData["role"],
  settings: ConnectionSettings,
  checkpoints: MessagePort | null,
  telemetry: StoreSideTelemetry | null,
): WorkerHandle {
  const worker = new Worker(START, {
    eval: true,
    name: `store-${role}`,
    workerData: { role, settings, checkpoints, ...startData() } satisfies WorkerData & StartData,
    transferList: checkpoints === null ? [] : [checkpoints],
  });
  const callers = new LiveMap<number, Waiting>();
  let opening: Caller | null = null;
  let hasOpened = false;
  let gone: StoreError | null = null;
  let nextId = 1;
  let tick: Call[] = [];
  const arrived: Packed<Answer>[] = [];

  const request = (message: Request): void => worker.postMessage(message);
  const flush = (): void => {
    const calls = tick;
    tick = [];
    // A value that cannot be cloned fails the whole message; it is a bug of a caller, and every caller hears of it.
    try {
      if (calls.length > 0) request({ kind: "calls", calls: calls.map(CALL_PACKING.pack) });
    } catch (error) {
      const failed = new StoreError("failed", "An argument cannot cross to the store's thread.", { cause: error });
      for (const { id } of calls) callers.take(id)?.reject(failed);
    }
  };
  const answer = (sent: Packed<Answer>): void => {
    const { id, answered, error } = ANSWER_PACKING.unpack(sent);
    const caller = callers.take(id);
    if (caller !== undefined) {
      telemetry?.callAnswered(caller.name, error === null ? "ok" : kindOf(error), performance.now() - caller.askedMs);
    }
    if (error === null) caller?.resolve(answered);
    else caller?.reject(reviveError(error));
  };
  const lose = (how: string, cause?: unknown): void => {
    // What one that reads was asked can be asked of another; one that never opened has done nothing.
    const kind = role === "writer" && hasOpened ? "lost" : "unavailable";
    gone ??= new StoreError(kind, `The store's ${role} thread ${how}.`, { cause });
    opening?.reject(gone);
    // What has been done is told, though its turn has not come yet.
    for (const answered of arrived.splice(0)) answer(answered);
    for (const caller of callers.takeAll()) caller.reject(gone);
  };

  // Each answer sets its caller to work, which costs more than the answer: a whole group's callers in one turn of the event loop
  // would hold up everything else for tens of milliseconds.
  let answeredMs = 0;
  const answerSome = (): void => {
    const nowMs = performance.now();
    const count = paceAfter(ANSWERS_PER_TURN, nowMs - answeredMs);
    answeredMs = nowMs;
    for (const answered of arrived.splice(0, count)) answer(answered);
    if (arrived.length > 0) setImmediate(answerSome);
  };
  worker.on("message", (reply: Reply) => {
    if (reply.kind === "answers") {
      const isIdle = arrived.length === 0;
      arrived.push(...reply.answers);
      if (reply.answers.length > 0) telemetry?.groupRun(reply.answers.length, reply.milliseconds);
      if (isIdle) {
        answeredMs = performance.now();
        answerSome();
      }
    } else if (reply.kind === "opened") {
      hasOpened = true;
      opening?.resolve(undefined);
    } else opening?.reject(reviveError(reply.error));
  });
  worker.on("error", (cause) => lose(hasOpened ? "broke down" : "could not be started", cause));
  const ended = new Promise<void>((resolve) => {
    worker.on("exit", () => {
      lose("has ended");
      resolve();
    });
  });

  telemetry?.watchWaiting(() => callers.size);
  return {
    open: (nowMs) =>
      new Promise((resolve, reject) => {
        if (gone !== null) return reject(gone);
        opening = { resolve: () => resolve(), reject };
        request({ kind: "open", nowMs });
      }),
    isGone: () => gone !== null,
    ask: (name, sent, nowMs) =>
      new Promise((resolve, reject) => {
        if (gone !== null) return reject(gone);
        const id = nextId++;
        callers.set(id, { resolve, reject, name, askedMs: performance.now() });
        if (tick.push({ id, name, sent, nowMs }) === 1) setImmediate(flush);
      }),
    close: () => {
      flush();
      gone ??= new StoreError("unavailable", "The store is closed.");
      request({ kind: "close" });
      return ended;
    },
    end: async () => {
      gone ??= new StoreError("unavailable", "The store is closed.");
      await worker.terminate();
    },
  };
}
