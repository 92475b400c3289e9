// Preloaded into the service (with `--require`, which worker threads inherit, unlike `--import`). Kills the process at
// the point in CRASH_AT, `<point>:<n>` for the n-th time. Everything is hooked from outside; the service has no code
// for it.
import { subscribe } from "node:diagnostics_channel";
import { ServerResponse } from "node:http";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { isMainThread, Worker } from "node:worker_threads";
import type { WorkerReply, WorkerRequest } from "../../src/store/sqlite/workers/thread.ts";
import type { Point } from "./points.ts";

const [wanted = "", count = "1"] = (process.env["CRASH_AT"] ?? "").split(":");
let left = Number(count);

/** Passes a point that many times; after the last one no code of this thread runs. */
function pass(point: Point, times = 1): void {
  if (point !== wanted) return;
  left -= times;
  if (left > 0) return;
  process.kill(process.pid, "SIGKILL");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

type Write = "begin" | "extend" | "settle" | "add";
type Method = (...given: unknown[]) => unknown;

/** Replaces a method by a wrapper around it. */
function around(prototype: object, name: string, wrap: (original: Method) => Method): void {
  Reflect.set(prototype, name, wrap(Reflect.get(prototype, name) as Method));
}

if (wanted !== "" && isMainThread) hookMain();
else if (wanted !== "") hookWriter();

function hookMain(): void {
  const WRITES: Readonly<Record<string, Write>> = {
    beginResponse: "begin",
    extendHold: "extend",
    settleResponse: "settle",
    addItems: "add",
    createConversation: "add",
  };
  const asked = new Map<unknown, Write>();
  around(
    Worker.prototype,
    "postMessage",
    (post) =>
      function (this: Worker, ...given) {
        const [message] = given as [WorkerRequest];
        for (const [id, name] of message ?? []) {
          const write = WRITES[name];
          if (write === undefined) continue;
          pass(`${write}-sent`);
          asked.set(id, write);
        }
        return post.apply(this, given);
      },
  );
  around(
    Worker.prototype,
    "emit",
    (emit) =>
      function (this: Worker, ...given) {
        const [event, reply] = given as [string, WorkerReply];
        if (event === "message" && this.threadName === "store-writer" && reply.kind === "results") {
          for (const [id] of reply.results) {
            const write = asked.get(id);
            asked.delete(id);
            if (write !== undefined) pass(`${write}-answered`);
          }
        }
        return emit.apply(this, given);
      },
  );
  subscribe("undici:request:create", () => pass("provider-asked"));
  subscribe("undici:client:sendHeaders", () => pass("provider-sent"));
  subscribe("undici:request:headers", () => pass("provider-answering"));
  around(
    ServerResponse.prototype,
    "writeHead",
    (write) =>
      function (this: ServerResponse, ...given) {
        if (this.req.method === "POST") pass("answer-begun");
        return write.apply(this, given);
      },
  );
  around(
    ServerResponse.prototype,
    "end",
    (end) =>
      function (this: ServerResponse, ...given) {
        const ended = end.apply(this, given);
        if (this.req.method === "POST") pass("answer-ended");
        return ended;
      },
  );
}

/** The writer's thread recognizes a transaction by its statements. */
function hookWriter(): void {
  const open: Write[] = [];
  for (const name of ["run", "get", "all"]) {
    around(
      StatementSync.prototype,
      name,
      (execute) =>
        function (this: StatementSync, ...given) {
          const write = writeOf(this.sourceSQL, given);
          if (write !== null) open.push(write);
          return execute.apply(this, given);
        },
    );
  }
  around(
    DatabaseSync.prototype,
    "exec",
    (exec) =>
      function (this: DatabaseSync, ...given) {
        if (given[0] === "rollback") open.length = 0;
        if (given[0] !== "commit") return exec.apply(this, given);
        for (const write of open) pass(`${write}-uncommitted`);
        const done = exec.apply(this, given);
        for (const write of open) pass(`${write}-committed`);
        open.length = 0;
        return done;
      },
  );
}

function writeOf(sql: string, parameters: readonly unknown[]): Write | null {
  if (/insert into responses\b/.test(sql)) return "begin";
  if (/update responses set held_nano/.test(sql)) return "extend";
  if (/update responses\s+set status\s+= \?,\s+thread_id/.test(sql)) return "settle";
  const isClaim = /insert into claims\b/.test(sql);
  return isClaim && (parameters.includes("items") || parameters.includes("conversation")) ? "add" : null;
}
