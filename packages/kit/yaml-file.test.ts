import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { escapeVariables, readYaml } from "./yaml-file.ts";

const VARIABLES = { NAME: "value" };

test("${NAME} is the variable, $${NAME} the text ${NAME}, quoted or not, also within braces", () => {
  for (const [written, value] of [
    ["${NAME}", "value"],
    ["$${NAME}", "${NAME}"],
    ["'$${NAME}'", "${NAME}"],
    ["$$${NAME}", "$${NAME}"],
    ["${NAME}$${NAME}", "value${NAME}"],
    ["$$", "$$"],
  ] as const) {
    const file = readYaml("f", `a: { b: ${written} }`, VARIABLES);
    assert.deepEqual(file.value, { a: { b: value } }, written);
    assert.equal(file.isSubstituted(["a", "b"]), value.includes("value"), written);
  }
});

test("an escaped text is read as it was", () => {
  const text = fc.array(fc.constantFrom("$", "{", "}", "NAME", "x")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (name) => {
      assert.deepEqual(readYaml("f", JSON.stringify(escapeVariables({ name })), VARIABLES).value, { name });
    }),
  );
});
