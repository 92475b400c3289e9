// The service as a process of its own, started by the real command.
import type { ChildProcess } from "node:child_process";
import { type CommandLine, type Outcome, readOutcome } from "./command-line.ts";

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** The origin of the management interface. */
  readonly manageOrigin: string;
  /** The key of the first organization; null on a later start. */
  readonly firstKey: string | null;
  /** Its output so far. */
  said(): string;
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
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (/^Base URL: +\S+$[^]*"event":"service\.started"/m.test(said)) resolve();
    });
    ended.then(({ stderr }) => reject(new Error(`the service ended: ${stderr}`)), reject);
  });
  const find = (pattern: RegExp) => pattern.exec(said)?.[1] ?? null;
  return {
    child,
    baseUrl: find(/^Base URL: +(\S+)$/m) ?? "",
    manageOrigin: new URL(find(/^Manage: +(\S+)$/m) ?? "").origin,
    firstKey: find(/^API key: +(sk_[0-9A-Za-z]{50})$/m),
    said: () => said,
    ended,
  };
}
