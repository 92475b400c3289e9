// Runs the real command line, each test file on a data folder of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { builtProgram } from "../support/built-program.ts";
import { runInProcess } from "./in-process.ts";

const { main: MAIN, compiled: NODE_COMPILE_CACHE } = await builtProgram();

/** Commands that run until a signal stops them. */
const RUN_ON = new Set(["serve", "notify"]);

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLine {
  readonly folder: string;
  /** The module that is run. */
  readonly main: string;
  /** Runs `turngate` with these words until it ends: in this process, but for the commands that may run on. */
  run(words: readonly string[], variables?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Runs it in a process of its own until it exits. */
  runProcess(words: readonly string[], variables?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Runs it with --json and returns the parsed output; throws if it fails. */
  json<T>(...words: readonly string[]): Promise<T>;
  /** Starts it without waiting; its stdout is a pipe unless a descriptor is given. */
  start(words: readonly string[], variables?: Readonly<Record<string, string>>, stdout?: number): ChildProcess;
  /** Removes the folder. */
  remove(): void;
}

/** A command line with its own data, working folder and environment; of another program than this one's if `main` is given. */
export function openCommandLine({ main = MAIN }: { main?: string } = {}): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), "turngate-cli-"));
  const start: CommandLine["start"] = (words, variables = {}, stdout) =>
    spawn(process.execPath, [main, ...words], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE, ...variables },
      stdio: ["ignore", stdout ?? "pipe", "pipe"],
    });
  const runProcess: CommandLine["run"] = (words, variables) => readOutcome(start(words, variables));
  const run: CommandLine["run"] = (words, variables = {}) =>
    main !== MAIN || RUN_ON.has(words[0] ?? "")
      ? runProcess(words, variables)
      : runInProcess(words, folder, { PATH: process.env["PATH"] ?? "", ...variables });
  return {
    folder,
    main,
    start,
    run,
    runProcess,
    async json(...words) {
      const { code, stdout, stderr } = await run([...words, "--json"]);
      if (code !== 0) throw new Error(`turngate ${words.join(" ")} failed: ${stderr}`);
      return JSON.parse(stdout);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A command line for the tests of one file, removed after them. */
export function commandLineForFile(): CommandLine {
  const line = openCommandLine();
  after(() => line.remove());
  return line;
}

/** The output and exit code of a process. */
export function readOutcome(child: ChildProcess): Promise<Outcome> {
  const read = (stream: ChildProcess["stdout"]) => {
    const chunks: Buffer[] = [];
    stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  };
  const [stdout, stderr] = [read(child.stdout), read(child.stderr)];
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
  });
}
