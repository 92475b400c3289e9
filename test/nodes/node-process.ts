// One real process of the service as a node.
import type { ChildProcess } from "node:child_process";
import { type CommandLine, type Outcome, readOutcome } from "../cli/command-line.ts";

export interface NodeProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** What it has printed until it listened. */
  readonly said: string;
  /** The key of the first organization, on the first start of all. */
  readonly firstKey: string | null;
  readonly ended: Promise<Outcome>;
}

/** Starts `serve` on ports of its own; resolves when it listens. */
export async function startNode(line: CommandLine, variables: Readonly<Record<string, string>>): Promise<NodeProcess> {
  const child = line.start(["serve"], { ...variables, PORT: "0", MANAGE_PORT: "0" });
  const ended = readOutcome(child);
  let said = "";
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /^Base URL: +(\S+)$[^]*"event":"service\.started"/m.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    ended.then(({ stderr }) => reject(new Error(`the service ended: ${stderr}`)), reject);
  });
  return { child, baseUrl, said, firstKey: /^API key: +(sk_[0-9A-Za-z]{50})$/m.exec(said)?.[1] ?? null, ended };
}
