/** A service that an artefact's command runs, in an empty folder with hardly any environment. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { resolve } from "node:path";
import type { Artefact } from "./conformance.ts";

/** As long as npm may need to fetch the runtime. */
const START_SECONDS = 180;

export interface Command {
  readonly words: readonly [string, ...string[]];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface RunningArtefact extends Artefact {
  /** From the command to the greeting of the first start. */
  readonly startSeconds: number;
  /** Runs the command of the greeting that creates a key, as pasted into a shell; returns what it prints. */
  pasteCommand(): string;
  stop(): Promise<void>;
}

/** Starts the command; resolves when the service has printed its key and addresses. */
export async function startArtefact(command: Command): Promise<RunningArtefact> {
  mkdirSync(command.folder, { recursive: true });
  const [port, managePort] = [await freePort(), await freePort()];
  const variables = { ...command.variables, PORT: String(port), MANAGE_PORT: String(managePort) };
  const start = async () => startOnce({ ...command, variables });
  const startedMs = performance.now();
  let running = await start();
  const startSeconds = (performance.now() - startedMs) / 1000;
  // Of the first start: a later one prints no key.
  const { greeting } = running;
  const find = (pattern: RegExp): string => {
    const [, found] = pattern.exec(greeting) ?? [];
    if (found === undefined) throw new Error(`${pattern} is not in the greeting:\n${greeting}`);
    return found;
  };
  return {
    baseUrl: find(/^Base URL: +(\S+)$/m),
    manageUrl: find(/^Manage: +(\S+)$/m),
    apiKey: readFileSync(resolve(command.folder, find(/^API key: +in the file (.+)$/m)), "utf8").trim(),
    startSeconds,
    pasteCommand: () => {
      const options = { cwd: command.folder, env: variables, encoding: "utf8" } as const;
      return execFileSync("/bin/sh", ["-c", find(/\(shown once; `(.+)` creates another\)/)], options);
    },
    restart: async () => {
      await running.stop();
      running = await start();
    },
    stop: async () => running.stop(),
  };
}

interface Running {
  /** What it has printed for people. */
  readonly greeting: string;
  stop(): Promise<void>;
}

async function startOnce({ words: [name, ...words], folder, variables }: Command): Promise<Running> {
  // In a process group of its own: npx starts the command by a shell.
  const child = spawn(name, words, {
    cwd: folder,
    env: { ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  let greeting = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const { promise: greeted, resolve: greet, reject } = Promise.withResolvers<void>();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    greeting += text;
    if (/^Models: /m.test(greeting)) greet();
  });
  child.once("error", reject);
  // Once its output is closed, no process of the group is left.
  const closed = once(child, "close").then(() => reject(new Error(`${name} has ended: ${greeting}`)));
  const timer = setTimeout(() => reject(new Error(`${name} printed no greeting: ${greeting}`)), START_SECONDS * 1000);
  try {
    await greeted;
  } catch (error) {
    signal(child);
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    greeting,
    stop: async () => {
      signal(child);
      await closed;
      // npx says nothing about how the service has ended.
      if (!printed.includes('"event":"service.stopped"'))
        throw new Error(`the service did not stop in order: ${greeting}`);
    },
  };
}

/** Tells the group to end, as a supervisor does. */
function signal(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
    process.kill(-child.pid, "SIGTERM");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
