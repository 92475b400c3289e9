// docs/reliability.md, A-4
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { JsonPass } from "./json-pass.ts";

/** The pass over a text that takes `stretch` bytes a step. */
function passOver(text: string, stretch: number): JsonPass {
  const pass = new JsonPass(new TextEncoder().encode(text));
  while (!pass.step(stretch));
  return pass;
}

const valuesOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? Object.values(value).reduce((sum, each) => sum + valuesOf(each), 1) : 1;
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
const stringsOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, each]) => [...(Array.isArray(value) ? [] : [key]), ...stringsOf(each)])
    : [];
};

test("values, levels, U+0000 and half pairs are found, whatever the step size", () => {
  const units = fc.constantFrom('"', "\\", "[", "{", "}", ",", ":", "a", "\u0000", "\ud83d", "\ude00", "u", "0", "é");
  const value = fc.jsonValue({ maxDepth: 4, stringUnit: units });
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 40 }), fc.constantFrom(0, 1), (sent, stretch, indent) => {
      const pass = passOver(JSON.stringify(sent, null, indent), stretch);
      assert.equal(pass.values, valuesOf(sent));
      assert.equal(pass.depthMax, depthOf(sent));
      const strings = stringsOf(sent);
      assert.equal(
        pass.hasNul,
        strings.some((each) => each.includes("\u0000")),
      );
      assert.equal(
        pass.hasLoneSurrogate,
        strings.some((each) => !each.isWellFormed()),
      );
    }),
    { numRuns: 1000 },
  );
});

test("an escaped pair is whole in small and capital letters, an escaped backslash begins no escape", () => {
  for (const [escapes, isLone] of [
    [String.raw`\ud83d\ude00`, false],
    [String.raw`\uD83D\uDE00`, false],
    [String.raw`\uDBFF\uDFFF`, false],
    [String.raw`\ud800`, true],
    [String.raw`\uDFFF`, true],
    [String.raw`\ude00\ud83d`, true],
    [String.raw`\ud83d\ud83d\ude00`, true],
    [String.raw`\ud83d\\ude00`, true],
    [String.raw`\\ud83d`, false],
    [String.raw`\ud7ff\ue000`, false],
  ] as const) {
    for (const stretch of [1, 5, 100])
      assert.equal(passOver(`["${escapes}"]`, stretch).hasLoneSurrogate, isLone, escapes);
  }
  assert.equal(passOver(String.raw`["\\u0000"]`, 1).hasNul, false);
  assert.equal(passOver(String.raw`["\\\u0000"]`, 1).hasNul, true);
});

test("a number that JavaScript writes differently is found with its place", () => {
  const pass = passOver('{"a":[1,1.5,1.0,-1,-0,"1.0",1234567890123456,12345678901234567],"b":1e400}', 3);
  const numbers = pass.unusualNumbers.map(({ start, value }) => [start, value.rawJSON]);
  assert.deepEqual(numbers, [
    [12, "1.0"],
    [19, "-0"],
    [45, "12345678901234567"],
    [68, "1e400"],
  ]);
});

test("a text that a number as a key makes invalid has none", () => {
  assert.deepEqual(passOver('{"a":1.0,2.0:1}', 100).unusualNumbers, []);
});

test("numbers of a text that is not JSON are not collected: no comma bounds how many there are", () => {
  for (const text of ["- ", "-0 ", "1.0 ", '"":1.0', "01.0,"])
    assert.deepEqual(passOver(`[${text.repeat(100_000)}]`, 1_000_000).unusualNumbers, [], text);
});
