import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { DIRECTIVES } from "../../src/providers/simulated/directives.ts";
import { SCENARIO_TABLE } from "../../src/providers/simulated/models.ts";
import { UPSTREAM_ERROR_CODES } from "../../src/providers/wire/error-codes.ts";

const page = readFileSync(new URL("../../docs/simulated-models.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| `"));

test("the document's table of models equals the code's, in order", () => {
  const isFailing = (name: string) => UPSTREAM_ERROR_CODES.some((code) => name.endsWith(`-${code}`));
  const models = [...SCENARIO_TABLE].filter(([name]) => !isFailing(name));
  assert.deepEqual(
    rows.filter((row) => row.startsWith("| `simulated/")),
    [
      ...models.map(([name, { does }]) => `| \`simulated/${name}\` | ${does} |`),
      "| `simulated/fails-CODE` | fails with a [failure code](#directives) before any output |",
      "| `simulated/fails-late-CODE` | fails with it after its first words |",
    ],
  );
  for (const code of UPSTREAM_ERROR_CODES) {
    assert.ok(SCENARIO_TABLE.has(`fails-${code}`) && SCENARIO_TABLE.has(`fails-late-${code}`), code);
  }
});

test("the document's table of directives has every directive with its syntax, in order", () => {
  const words = rows.filter((row) => row.startsWith("| `/")).map((row) => /^\| `(.*?)` \|/.exec(row)?.[1]);
  assert.deepEqual(words, Object.values(DIRECTIVES));
});

test("the document names every failure code", () => {
  for (const code of UPSTREAM_ERROR_CODES) assert.ok(page.includes(`\`${code}\``), code);
});
