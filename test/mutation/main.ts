// npm run test:mutation [-- --sample N --seed N --workers N --modules GLOB --tests GLOB --tests-max N]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChance } from "../crash/random.ts";
import { coverTest, type TestCoverage } from "./coverage.ts";
import { EQUIVALENT, findEquivalent, linesOf } from "./equivalent.ts";
import { findMutants, type Mutant } from "./mutator.ts";
import { Results, versionOf } from "./results.ts";
import { findFiles, findModules, MUTATED, ROOT, TESTS } from "./scope.ts";
import { runTestFile } from "./test-process.ts";
import { countKill, nearestFirst, tryMutant, type Verdict } from "./try-mutant.ts";

const { values } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "7" },
    workers: { type: "string", default: "2" },
    modules: { type: "string", multiple: true, default: [...MUTATED] },
    tests: { type: "string", multiple: true, default: [...TESTS] },
    // Runs only the first tests that reach a mutant: faster, but a survivor may still be noticed by the others.
    "tests-max": { type: "string", default: "Infinity" },
  },
});
const workers = Number(values.workers);
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Runs the work for each item, `workers` at a time. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const modules = findModules(values.modules);
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const all = modules.flatMap((path) => findMutants(path, textOf(path)));
const shuffled = createChance(Number(values.seed)).shuffle(all);
const drawn = shuffled.slice(0, Number(values.sample ?? all.length));
const equivalent = new Map(all.map((mutant) => [mutant, findEquivalent(mutant, textOf(mutant.path))]));
const sample = drawn.filter((mutant) => equivalent.get(mutant) === undefined);
const kind = values.sample === undefined ? "all" : `a sample of ${drawn.length} (seed ${values.seed})`;
say(`${all.length} mutants in ${modules.length} modules; ${kind}, ${drawn.length - sample.length} of them equivalent`);
if (values.modules.length === MUTATED.length) {
  const found = new Set(equivalent.values());
  for (const { path, was } of EQUIVALENT.filter((fault) => !found.has(fault))) {
    say(`listed as equivalent, but no longer there: ${path}: ${was}`);
  }
}

const covered = new Results<TestCoverage | { readonly version: string; readonly fails: true }>("coverage.jsonl");
const known = new Set(covered.lines.map(({ version }) => version));
const tests = findFiles(values.tests);
const wanted = new Set(tests.map(versionOf));
const current = new Set(findFiles([...TESTS, ...values.tests]).map(versionOf));
const uncovered = tests.filter((file) => !known.has(versionOf(file)));
say(`${tests.length} test files, ${uncovered.length} to be run once without a fault`);
await inParallel(uncovered, async (file) => {
  const coverage = await coverTest(file, new Set(findModules(MUTATED)));
  if (coverage === null) say(`${file} does not pass by itself: it is skipped`);
  covered.add(coverage ?? { version: versionOf(file), fails: true });
});
const coverage = covered.lines.flatMap((line) => ("fails" in line || !wanted.has(line.version) ? [] : [line]));

const verdicts = new Results<Verdict>("verdicts.jsonl");
const testsMax = Number(values["tests-max"]);
const trials = { coverage, noticed: new Map<string, number>(), testsMax, run: runTestFile };
const judged = new Map(verdicts.lines.map((verdict) => [verdict.id, verdict]));
for (const mutant of all) {
  const killer = coverage.find(({ version }) => version === judged.get(mutant.id)?.by);
  if (killer !== undefined) countKill(trials, mutant, killer);
}
await inParallel(
  sample.filter((mutant) => !isJudged(mutant)),
  async (mutant) => {
    const verdict = await tryMutant(mutant, trials, judged.get(mutant.id)?.passed);
    verdicts.add(verdict);
    judged.set(mutant.id, verdict);
    if (verdict.by === null) say(`${verdict.outcome} ${describe(mutant)}`);
  },
);
report();

/** Killed by a test file that is as it was, or survived all test files that would be run now. */
function isJudged(mutant: Mutant): boolean {
  const verdict = judged.get(mutant.id);
  if (verdict === undefined) return false;
  if (verdict.by !== null) return current.has(verdict.by);
  return nearestFirst(mutant, trials).every(({ version }) => verdict.passed.includes(version));
}

function describe(mutant: Mutant): string {
  const { was, becomes } = linesOf(mutant, textOf(mutant.path));
  return `${mutant.path}:${mutant.line}\n    ${was}\n    ${becomes}`;
}

function report(): void {
  const outcomes = new Map<string, number>();
  const survivors: string[] = [];
  for (const mutant of sample) {
    const verdict = judged.get(mutant.id);
    if (verdict === undefined) continue;
    outcomes.set(verdict.outcome, (outcomes.get(verdict.outcome) ?? 0) + 1);
    if (verdict.by === null) survivors.push(`  ${describe(mutant)} (${verdict.passed.length} test files)`);
  }
  if (survivors.length > 0) say(`not noticed:\n${survivors.sort().join("\n")}`);
  const noticed = (outcomes.get("killed") ?? 0) + (outcomes.get("timeout") ?? 0);
  const counts = [...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(", ");
  say(`${noticed} of ${sample.length} noticed, ${((100 * noticed) / sample.length).toFixed(1)} % (${counts})`);
}
