// Which test files reach which places of the modules, by V8's coverage. Type stripping keeps the offsets of the source.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Mutant } from "./mutator.ts";
import { versionOf } from "./results.ts";
import { ROOT } from "./scope.ts";
import { runTestFile } from "./test-process.ts";

/** The unreached ranges of each loaded module. */
type Unreached = Readonly<Record<string, readonly (readonly [start: number, end: number])[]>>;

export interface TestCoverage {
  readonly file: string;
  readonly version: string;
  readonly ms: number;
  readonly unreached: Unreached;
}

interface V8Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly V8Function[] }[];
}

interface V8Function {
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
}

const FIRST_RUN_MS_MAX = 120_000;

/** Runs a test file without a fault. Null if it fails: then its result says nothing about faults. */
export async function coverTest(file: string, modules: ReadonlySet<string>): Promise<TestCoverage | null> {
  const folder = mkdtempSync(join(tmpdir(), "turngate-coverage-"));
  try {
    const { outcome, ms } = await runTestFile(file, { coverageFolder: folder, msMax: FIRST_RUN_MS_MAX });
    return outcome === "passed"
      ? { file, version: versionOf(file), ms, unreached: readCoverage(folder, modules) }
      : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a test file reaches the place of a mutant. */
export function reaches({ unreached }: TestCoverage, { path, start }: Mutant): boolean {
  const stretches = unreached[path];
  return stretches !== undefined && !stretches.some(([from, to]) => from <= start && start < to);
}

/** A place is reached if any process or thread reached it, so unreached ranges are the intersection of all reports. */
function readCoverage(folder: string, modules: ReadonlySet<string>): Unreached {
  const root = `${pathToFileURL(ROOT).href}/`;
  const found = new Map<string, (readonly [number, number])[]>();
  for (const name of readdirSync(folder)) {
    const report = JSON.parse(readFileSync(join(folder, name), "utf8")) as V8Coverage;
    for (const { url, functions } of report.result) {
      const path = url.startsWith(root) ? url.slice(root.length) : "";
      if (!modules.has(path)) continue;
      const stretches = unreachedOf(functions);
      const before = found.get(path);
      found.set(path, before === undefined ? stretches : intersect(before, stretches));
    }
  }
  return Object.fromEntries(found);
}

/** Ranges are nested and the innermost one counts; functions are listed outermost first. */
function unreachedOf(functions: readonly V8Function[]): (readonly [number, number])[] {
  const ranges = functions.flatMap(({ ranges: all }) => all);
  const borders = [...new Set(ranges.flatMap(({ startOffset, endOffset }) => [startOffset, endOffset]))].sort(
    (one, other) => one - other,
  );
  const stretches: [number, number][] = [];
  for (const [index, from] of borders.slice(0, -1).entries()) {
    const to = borders[index + 1] as number;
    let innermost: V8Function["ranges"][number] | null = null;
    for (const range of ranges) {
      if (range.startOffset > from || range.endOffset < to) continue;
      const isInner =
        innermost === null || range.endOffset - range.startOffset <= innermost.endOffset - innermost.startOffset;
      if (isInner) innermost = range;
    }
    if (innermost?.count === 0) stretches.push([from, to]);
  }
  return stretches;
}

function intersect(one: readonly (readonly [number, number])[], other: readonly (readonly [number, number])[]) {
  return one.flatMap(([from, to]) =>
    other.flatMap(([start, end]): (readonly [number, number])[] => {
      const [low, high] = [Math.max(from, start), Math.min(to, end)];
      return low < high ? [[low, high]] : [];
    }),
  );
}
