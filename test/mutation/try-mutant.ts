// Runs tests on a mutant.
import { reaches, type TestCoverage } from "./coverage.ts";
import type { Mutant } from "./mutator.ts";
import type { runTestFile } from "./test-process.ts";

export interface Verdict {
  readonly id: string;
  /** A `timeout` counts as noticed: the hanging test is reported. `unreached`: no test file reaches its place. */
  readonly outcome: "killed" | "timeout" | "survived" | "unreached";
  /** The version of the test file that failed. */
  readonly by: string | null;
  /** The versions of the test files that passed. */
  readonly passed: readonly string[];
}

/** Allowed time relative to a run without a fault: generous, since the machine may be busy. */
const SLOWER_MAX = 8;
const MS_MAX_LEAST = 10_000;

export interface Trials {
  /** Maximum number of test files per mutant. */
  readonly testsMax: number;
  readonly coverage: readonly TestCoverage[];
  /** How often each test file failed on a mutant of a module: the most successful one runs first. */
  readonly noticed: Map<string, number>;
  readonly run: typeof runTestFile;
}

/** Runs the test files that reach a mutant until one fails, without those that are known to pass. */
export async function tryMutant(mutant: Mutant, trials: Trials, known: readonly string[] = []): Promise<Verdict> {
  const { id } = mutant;
  const reaching = nearestFirst(mutant, trials);
  if (reaching.length === 0) return { id, outcome: "unreached", by: null, passed: [] };
  const passed = [...known];
  for (const test of reaching) {
    if (passed.includes(test.version)) continue;
    const outcome = await runOnMutant(trials, test, mutant);
    if (outcome === "passed") {
      passed.push(test.version);
      continue;
    }
    countKill(trials, mutant, test);
    return { id, outcome: outcome === "timeout" ? "timeout" : "killed", by: test.version, passed };
  }
  return { id, outcome: "survived", by: null, passed };
}

/** Remembers that a test file noticed a mutant. */
export function countKill({ noticed }: Trials, { path }: Mutant, { file }: Pick<TestCoverage, "file">): void {
  noticed.set(`${path} ${file}`, (noticed.get(`${path} ${file}`) ?? 0) + 1);
}

/** The test files that reach a mutant, the likeliest to notice it first, at most `testsMax`. */
export function nearestFirst(
  mutant: Mutant,
  { coverage, noticed, testsMax }: Omit<Trials, "run">,
): readonly TestCoverage[] {
  const { path } = mutant;
  const promise = ({ file }: TestCoverage) => (noticed.get(`${path} ${file}`) ?? 0) * 10 + kinship(path, file);
  return coverage
    .filter((test) => reaches(test, mutant))
    .sort(
      (one, other) => promise(other) - promise(one) || leftOut(one, path) - leftOut(other, path) || one.ms - other.ms,
    )
    .slice(0, testsMax);
}

/** A run over its time is repeated with twice the time: only a fault hangs in both, a busy machine is slow in one. */
async function runOnMutant({ run }: Trials, { file, ms }: TestCoverage, mutant: Mutant) {
  const msMax = Math.max(MS_MAX_LEAST, ms * SLOWER_MAX);
  const { outcome } = await run(file, { mutant, msMax });
  if (outcome !== "timeout") return outcome;
  return (await run(file, { mutant, msMax: 2 * msMax })).outcome;
}

/** Characters of a module that a test file does not reach: the file that reaches most is the likeliest to be about it. */
function leftOut({ unreached }: TestCoverage, path: string): number {
  return (unreached[path] ?? []).reduce((sum, [from, to]) => sum + to - from, 0);
}

/**
 * How likely a test file is about a module: highest for the one beside it, else the number of path words they share.
 */
function kinship(path: string, file: string): number {
  if (file === path.replace(/\.ts$/, ".test.ts")) return 1000;
  const words = new Set(path.split(/\W/));
  return file.split(/\W/).filter((word) => word !== "src" && word !== "ts" && words.has(word)).length;
}
