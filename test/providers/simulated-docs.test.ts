import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { DIRECTIVES } from "../../src/providers/simulated/directives.ts";
import { SCENARIO_TABLE } from "../../src/providers/simulated/models.ts";
import { PROVIDER_FAILURE_CODES } from "../../src/providers/verdict.ts";

const page = readFileSync(new URL("../../docs/simulated-models.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| `"));

test("the page's table of models is the table of the code, in its order", () => {
  const models = Array.from(SCENARIO_TABLE, ([name, { does }]) => `| \`simulated/${name}\` | ${does} |`);
  assert.deepEqual(
    rows.filter((row) => row.startsWith("| `simulated/")),
    models,
  );
});

test("the page's table of directives has every word, written as the code writes it, in its order", () => {
  const words = rows.filter((row) => row.startsWith("| `/")).map((row) => /^\| `(.*?)` \|/.exec(row)?.[1]);
  assert.deepEqual(words, Object.values(DIRECTIVES));
});

test("the page names every failure code", () => {
  for (const code of PROVIDER_FAILURE_CODES) assert.ok(page.includes(`\`${code}\``), code);
});
