// Runs commands in the process of the test: a process of its own costs more than the command. What is of the process
// (signals, standard streams, its start) is tested with processes.
import { AsyncLocalStorage } from "node:async_hooks";
import { runProgram } from "../../src/cli/program.ts";
import { useBuiltThread } from "../support/store-thread.ts";
import type { Outcome } from "./command-line.ts";

interface Written {
  stdout: string;
  stderr: string;
}

/** What the command that writes has written. The test runner writes to the same streams, outside of a command. */
const writer = new AsyncLocalStorage<Written>();
for (const name of ["stdout", "stderr"] as const) {
  const write = process[name].write;
  process[name].write = function keep(this: NodeJS.WriteStream, ...words: Parameters<typeof write>) {
    const written = writer.getStore();
    if (written === undefined) return write.apply(this, words);
    written[name] += String(words[0]);
    return true;
  } as typeof write;
}

let last: Promise<unknown> = Promise.resolve();

/** Runs `turngate` with these words in that folder and environment, after the commands before it, since both are the process's. */
export function runInProcess(words: readonly string[], folder: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const outcome = last.then(() => runAlone(words, folder, env));
  last = outcome.catch(() => {});
  return outcome;
}

async function runAlone(words: readonly string[], folder: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  await useBuiltThread();
  const before = { folder: process.cwd(), env: process.env };
  const written: Written = { stdout: "", stderr: "" };
  process.chdir(folder);
  process.env = env;
  try {
    const code = await writer.run(written, () => runProgram(words));
    return { code, ...written };
  } finally {
    process.env = before.env;
    process.chdir(before.folder);
  }
}
