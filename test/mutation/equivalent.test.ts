import assert from "node:assert/strict";
import { test } from "node:test";
import { EQUIVALENT, findEquivalent, linesOf } from "./equivalent.ts";
import { findMutants } from "./mutator.ts";

test("a fault is known by the lines that it changes", () => {
  const text = "let a;\nif (\n  b && c\n) a();\n";
  const faults = findMutants("a.ts", text).map((mutant) => linesOf(mutant, text));
  assert.deepEqual(
    new Set(faults.map(({ was, becomes }) => ({ was, becomes }))),
    new Set([
      { was: "b && c", becomes: "true" },
      { was: "b && c", becomes: "false" },
      { was: ") a();", becomes: ") ;" },
      { was: "b && c", becomes: "b || c" },
    ]),
  );
});

test("an equivalent fault is found by its module and its lines", () => {
  const [listed] = EQUIVALENT;
  assert.ok(listed !== undefined);
  const text = `first();\n  ${listed.was}\nlast();\n`;
  const found = (path: string) => findMutants(path, text).filter((mutant) => findEquivalent(mutant, text) === listed);
  assert.equal(found(listed.path).length, 1);
  assert.equal(found("src/other.ts").length, 0);
});

test("the line above tells one place from another with the same line", () => {
  const text = "first();\n  a = !b;\nlast();\n  a = !b;\n";
  const faults = findMutants("a.ts", text).map((mutant) => linesOf(mutant, text));
  const negations = faults.filter(({ becomes }) => becomes === "a = b;").map(({ above }) => above);
  assert.deepEqual(negations.toSorted(), ["first();", "last();"]);
});
