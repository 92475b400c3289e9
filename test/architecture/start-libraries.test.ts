// A start of the service loads no library that it does not need: a tenth of a second of CPU and ten megabytes are lost
// unnoticed with one static import (docs/decisions/performance.md). What is loaded on demand stands in an `import()`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "./modules.ts";

const modules = new Map(readProgram().map((each) => [each.path, each]));

/** The packages that a module loads by its static imports, and by those of what it imports. */
function librariesOf(entry: string): string[] {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const { specifier, target, isTypeOnly, isDynamic } of modules.get(path)?.imports ?? []) {
      if (isTypeOnly || isDynamic) continue;
      if (target !== null) waiting.push(target);
      else if (!specifier.startsWith("node:")) packages.add(specifier);
    }
  }
  assert.ok(seen.size > 10, `${entry} reaches ${seen.size} modules`);
  return [...packages].sort();
}

test("the command line loads its parser, before it knows the command", () => {
  assert.deepEqual(librariesOf("main.ts"), ["commander"]);
});

test("the service loads its router, its metrics and its shapes", () => {
  assert.deepEqual(
    librariesOf("boot/serve.ts").filter((name) => !name.startsWith("prom-client/lib/")),
    ["find-my-way", "typebox", "typebox/schema"],
  );
});

test("a thread of the embedded store loads no library", () => {
  assert.deepEqual(librariesOf("store/sqlite/workers/worker.ts"), []);
});

test("planning a turn reads no body", () => {
  const planning = [...modules.values()].filter(({ path }) => path.startsWith("core/response/"));
  assert.ok(planning.length > 10);
  const readers = planning.filter(({ imports }) => imports.some(({ target }) => target?.startsWith("core/reading/")));
  assert.deepEqual(
    readers.map(({ path }) => path),
    [],
  );
});
