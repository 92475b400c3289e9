/** The child processes of a run: started on their cores, awaited, and stopped; none is left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { exchange } from "../load/exchange.ts";
import type { RequestParts } from "../load/request.ts";
import { pinnedCommand, type Place } from "./cores.ts";

export interface ChildOptions {
  readonly name: string;
  readonly place: Place;
  /** The runtime; default: that of the benchmark. */
  readonly node?: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  readonly port: number;
  /** A request that returns 200 once the process is ready. */
  readonly ready: RequestParts;
  /** How long it may take until then; default: READY_SECONDS. */
  readonly readySeconds?: number;
}

export interface Child {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first 200. */
  readonly startMilliseconds: number;
  /** Its last output if it has ended unexpectedly; undefined otherwise. */
  readonly lastWords: () => string | undefined;
  /** Sends a message over the IPC channel and returns the reply. */
  readonly ask: (message: string) => Promise<unknown>;
  /** Stops it and waits: SIGTERM, or SIGKILL when `isHard`, for a process whose work would not end. */
  readonly stop: (isHard?: boolean) => Promise<void>;
}

const READY_SECONDS = 30;
const STOP_SECONDS = 10;
const POLL_MS = 5;
const KEPT_OUTPUT = 4000;

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a process and resolves when it is ready; rejects with its last output if it fails. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, place, node = process.execPath, port, ready, readySeconds = READY_SECONDS } = options;
  const [command = node, ...rest] = pinnedCommand(place, [node, ...options.arguments]);
  const startedAt = performance.now();
  const child = spawn(command, rest, {
    cwd: options.workingDirectory,
    env: { ...inheritedEnvironment(), ...options.environment, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  running.add(child);
  let output = "";
  let isStopping = false;
  const keep = (text: Buffer): void => {
    output = (output + text.toString()).slice(-KEPT_OUTPUT);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  child.on("error", (error) => keep(Buffer.from(String(error))));
  child.on("close", () => {
    running.delete(child);
    end();
  });

  const startMilliseconds = await serving();
  async function serving(): Promise<number> {
    for (;;) {
      const status = await exchange(port, ready).then(
        (response) => response.status,
        () => 0,
      );
      const waited = performance.now() - startedAt;
      if (status === 200) return waited;
      if (!running.has(child) || waited > readySeconds * 1000) {
        child.kill("SIGKILL");
        throw new Error(`${name} does not serve (last status ${status}). Its last output:\n${output}`);
      }
      await sleep(POLL_MS);
    }
  }

  return {
    name,
    port,
    pid: child.pid ?? 0,
    startMilliseconds,
    lastWords: () => (running.has(child) || isStopping ? undefined : output),
    ask: (message) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      child.once("message", resolve);
      child.send(message);
      return promise;
    },
    stop: async (isHard = false) => {
      isStopping = true;
      child.kill(isHard ? "SIGKILL" : "SIGTERM");
      const killing = setTimeout(() => child.kill("SIGKILL"), STOP_SECONDS * 1000);
      if (running.has(child)) await ended;
      clearTimeout(killing);
    },
  };
}

/** Processes that are stopped together. */
export interface Company {
  readonly keep: <Kept extends Child>(child: Kept) => Kept;
  /** Names the members that ended unexpectedly, with their last output. */
  readonly casualties: () => readonly string[];
  readonly disband: () => Promise<void>;
}

/** Creates an empty group. */
export function gatherCompany(): Company {
  const members: Child[] = [];
  return {
    keep: (child) => {
      members.push(child);
      return child;
    },
    casualties: () =>
      members.flatMap((member) => {
        const words = member.lastWords();
        return words === undefined ? [] : [`${member.name} has died; its last output: ${words}`];
      }),
    disband: async () => {
      await Promise.all(members.splice(0).map((member) => member.stop()));
    },
  };
}

/** Finds a free port. */
export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.on("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}

/** The environment of a child: a developer's own keys and settings must not affect a measurement. */
function inheritedEnvironment(): Record<string, string> {
  const names = ["PATH", "HOME", "TMPDIR", "LANG"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
