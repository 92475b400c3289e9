// Runs one test file in its own process.
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Mutant } from "./mutator.ts";
import { ROOT } from "./scope.ts";

export interface TestRun {
  readonly outcome: "passed" | "failed" | "timeout";
  readonly ms: number;
}

/** Runs a test file, optionally with a fault, for at most `msMax`. */
export function runTestFile(
  file: string,
  options: { readonly mutant?: Mutant; readonly coverageFolder?: string; readonly msMax: number },
): Promise<TestRun> {
  const { mutant, coverageFolder, msMax } = options;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: ROOT,
    stdio: "ignore",
    // Its own process group, so that the processes a test started are killed with it.
    detached: true,
    env: {
      ...process.env,
      NODE_OPTIONS: `--require ${join(import.meta.dirname, "load-mutant.ts")}`,
      ...(mutant === undefined ? {} : { MUTANT: JSON.stringify(mutant) }),
      // The cache saves stripping the types of every module again, but makes coverage less exact.
      ...(coverageFolder === undefined
        ? { NODE_COMPILE_CACHE: join(ROOT, ".mutation/compiled") }
        : { NODE_V8_COVERAGE: coverageFolder }),
    },
  });
  return new Promise((resolve) => {
    let outcome: TestRun["outcome"] | null = null;
    const timer = setTimeout(() => {
      outcome = "timeout";
      killGroup(child.pid);
    }, msMax);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve({ outcome: outcome ?? (code === 0 ? "passed" : "failed"), ms: performance.now() - startedMs });
    });
  });
}

/** Ignores a group that has already ended. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
