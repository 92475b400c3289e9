// One of several processes: started, started again when it ends, and stopped.
import { type ChildProcess, spawn } from "node:child_process";
import { isSea } from "node:sea";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { delayOfRestart } from "./back-off.ts";
import { type Assignment, ASSIGNMENT_VARIABLE, type ToParent, type ToProcess } from "./messages.ts";

export interface KeptProcess {
  /** From 1; a process that is started again keeps it. */
  readonly number: number;
  /** Whether it has said that it serves, and has not ended. */
  isServing(): boolean;
  /** How often it was started again. */
  restarts(): number;
  tell(message: ToProcess): void;
  /** Stops it in order and starts it no more; resolves to whether it ended with status 0. */
  stop(signal: string): Promise<boolean>;
  /** Ends it at once. */
  kill(): void;
}

export interface KeptProcessSettings {
  readonly clock: Clock;
  readonly log: Log;
  /** The descriptors that it gets, from the fifth on. */
  readonly descriptors: readonly number[];
  assign(): Assignment;
  /** Its output; a text ends with the end of a line. */
  write(lines: string): void;
  heard(message: ToParent, process: KeptProcess): void;
  /** Whether to start it again after it has ended unasked, with this exit status or by a signal. */
  mayRestart(status: number | NodeJS.Signals): boolean;
}

/** The descriptors before those: standard input, output and errors, and the channel to the parent. */
export const OWN_DESCRIPTORS = 4;

/** Starts a process and keeps it running until it is stopped. */
export function keepProcess(number: number, settings: KeptProcessSettings): KeptProcess {
  const { clock, log } = settings;
  let child: ChildProcess | null = null;
  let isServing = false;
  let isStopping = false;
  let restarts = 0;
  let delayMs = 0;
  let cancelRestart = () => {};
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>();

  const start = (): void => {
    const startedMs = clock.monotonicMs();
    const started = startProcess(settings.assign(), settings.descriptors);
    child = started;
    relayLines(started, settings.write);
    started.on("message", (message: ToParent) => {
      if (message.kind === "started") isServing = true;
      settings.heard(message, self);
    });
    started.on("error", (error) => log.warn("process.fault", { process_number: number }, error));
    started.on("close", (code, signal) => {
      child = null;
      isServing = false;
      const status = code ?? signal ?? "SIGKILL";
      if (isStopping) end(status === 0);
      else if (settings.mayRestart(status)) startAgain(status, clock.monotonicMs() - startedMs);
    });
  };
  const startAgain = (status: number | NodeJS.Signals, livedMs: number): void => {
    delayMs = delayOfRestart(livedMs, delayMs);
    log.warn("process.ended", { process_number: number, status, restarts_after_ms: delayMs });
    restarts++;
    cancelRestart = clock.after(delayMs, start);
  };
  const tell = (message: ToProcess): void => {
    // Fails only when the process has ended, which is noticed by itself.
    if (child?.connected) child.send(message, () => {});
  };
  const self: KeptProcess = {
    number,
    isServing: () => isServing,
    restarts: () => restarts,
    tell,
    stop(signal) {
      isStopping = true;
      cancelRestart();
      if (child === null) end(true);
      tell({ kind: "stop", signal });
      return ended;
    },
    kill: () => void child?.kill("SIGKILL"),
  };
  start();
  return self;
}

/** Runs this program as it was started itself, with the same flags of Node. */
function startProcess(assignment: Assignment, descriptors: readonly number[]): ChildProcess {
  const program = isSea() ? [] : [...process.execArgv, process.argv[1] ?? ""];
  return spawn(process.execPath, [...program, "serve"], {
    env: { ...process.env, [ASSIGNMENT_VARIABLE]: JSON.stringify(assignment) },
    stdio: ["ignore", "pipe", "inherit", "ipc", ...descriptors],
  });
}

/** Passes whole lines on: several processes write to one output, and a line must not begin within another one. */
function relayLines({ stdout }: ChildProcess, write: (lines: string) => void): void {
  let rest = "";
  stdout?.setEncoding("utf8");
  stdout?.on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  stdout?.on("close", () => {
    if (rest !== "") write(`${rest}\n`);
  });
}
