import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

test("a fault is in the loaded module, also in worker threads, and never on disk", () => {
  const module = join(import.meta.dirname, "../support/until.ts");
  const before = readFileSync(module, "utf8");
  const look = `import(${JSON.stringify(module)}).then(() => console.log(globalThis.fault))`;
  const start = `new (require("node:worker_threads").Worker)(${JSON.stringify(look)}, { eval: true });`;
  const env = {
    ...process.env,
    NODE_OPTIONS: `--require ${join(import.meta.dirname, "load-mutant.ts")}`,
  };
  const printed = (code: string, path: string) => {
    const mutant = { path, start: 0, end: 0, replacement: 'globalThis.fault = "mutated";' };
    const run = { env: { ...env, MUTANT: JSON.stringify(mutant) }, encoding: "utf8" } as const;
    return execFileSync(process.execPath, ["-e", code], run).trim();
  };
  for (const code of [look, start]) {
    assert.equal(printed(code, "test/support/until.ts"), "mutated");
    assert.equal(printed(code, "test/mutation/sql.ts"), "undefined");
  }
  assert.equal(readFileSync(module, "utf8"), before);
});
