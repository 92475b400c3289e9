// The service as a process of its own, started by the real command.
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type CommandLine, type Outcome, readOutcome } from "./command-line.ts";

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** The origin of the management interface. */
  readonly manageOrigin: string;
  /** The key of the first organization; null on a later start. */
  readonly firstKey: string | null;
  /** The link that signs its owner in; null on a later start. */
  readonly firstLink: string | null;
  /** Its standard output so far: the log. */
  said(): string;
  /** Its standard error so far: the greeting, since nothing here is a terminal. */
  greeted(): string;
  readonly ended: Promise<Outcome>;
}

/** Starts `serve` on free ports; resolves when it has started. Rejects with what it wrote to stderr when it ends before. */
export async function startService(
  line: CommandLine,
  variables: Readonly<Record<string, string>> = {},
  words: readonly string[] = [],
): Promise<ServiceProcess> {
  const child = line.start(["serve", ...words], { PORT: "0", ...variables });
  const ended = readOutcome(child);
  let said = "";
  let greeted = "";
  await new Promise<void>((start, reject) => {
    const startIfReady = () => {
      if (said.includes('"event":"service.started"') && GREETING.test(greeted)) start();
    };
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      startIfReady();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      greeted += chunk.toString();
      startIfReady();
    });
    ended.then(({ stderr }) => reject(new Error(`the service ended: ${stderr}`)), reject);
  });
  return {
    child,
    ...readGreeting(greeted, line.folder),
    said: () => said,
    greeted: () => greeted,
    ended,
  };
}

const GREETING = /^Base URL: +\S+$[^]*^Models: /m;

/** What a greeting says; `folder` is where the service was started. */
export function readGreeting(greeted: string, folder: string) {
  const find = (pattern: RegExp) => pattern.exec(greeted)?.[1] ?? null;
  const read = (path: string | null) => (path === null ? null : readFileSync(resolve(folder, path), "utf8").trim());
  return {
    baseUrl: find(/^Base URL: +(\S+)$/m) ?? "",
    manageOrigin: new URL(find(/^Manage: +(\S+)$/m) ?? "").origin,
    firstKey: read(find(/^API key: +in the file (.+)$/m)),
    firstLink: read(find(/^Sign in: +in the file (.+)$/m)),
  };
}
