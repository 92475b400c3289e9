// docs/reliability.md, A-3
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { COST_RATIO_MAX, costRatio } from "../../test/support/cost.ts";
import { isExactNumber, mayHoldUnusualNumbers, parseExactly, readNumberExactly, toDouble } from "./exact-json.ts";

const digits = fc.stringMatching(/^\d{0,22}$/);
const number = fc
  .tuple(fc.constantFrom("", "-"), digits, fc.constantFrom("", "."), digits, fc.constantFrom("", "e5", "E-9", "e+400"))
  .map(([sign, whole, point, fraction, exponent]) => {
    const start = whole.replace(/^0+(?=\d)/, "") || "0";
    return `${sign}${start}${point === "" || fraction === "" ? "" : point + fraction}${exponent}`;
  });

test("a number keeps its digits through parsing and writing", () => {
  fc.assert(
    fc.property(number, (text) => {
      assert.equal(JSON.stringify(parseExactly(`{"a":[${text},"${text}"]}`)), `{"a":[${text},"${text}"]}`);
      assert.equal(JSON.stringify(readNumberExactly(text)), text);
      assert.equal(toDouble(readNumberExactly(text)), Number(text));
    }),
    { numRuns: 2000 },
  );
});

test("a number that JavaScript writes identically is a plain number", () => {
  for (const text of ["0", "-1", "0.5", "123456789012345", "0.000001"]) {
    assert.equal(readNumberExactly(text), Number(text));
    assert.equal(mayHoldUnusualNumbers(`[${text}]`), false);
  }
  for (const text of ["1.0", "-0", "1e2", "0.0000001", "9223372036854775807", "0.1000000000000000055", "1e400"]) {
    assert.ok(isExactNumber(readNumberExactly(text)), text);
    assert.ok(mayHoldUnusualNumbers(`[${text}]`), text);
  }
});

/** The result of a reviver: slow and simple. */
function parseSlowly(text: string): unknown {
  const read = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && context?.source !== undefined ? readNumberExactly(context.source) : value;
  return JSON.parse(text, read);
}

/** JSON of any form, with unusual numbers, texts that look like numbers and marks, and odd keys. */
const text = fc.string({
  unit: fc.constantFrom("1.0", "\\", '"', "\0", "\u0000", "0", "a", "é", ":", " "),
  maxLength: 6,
});
/** Without escapes: below such a key V8 gives a reviver no sources. */
const key = fc.stringMatching(/^[a-c: 1]{0,3}$/);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    number,
    text.map((value) => JSON.stringify(value)),
    fc.constantFrom("true", "null", "1", "-0", " 1.0 ", "-1", "[]", "{}"),
    fc.array(tie("json"), { maxLength: 4 }).map((items) => `[${items.join(" ,")}]`),
    fc
      .array(fc.tuple(fc.oneof(key, fc.constantFrom("__proto__", "1", "a")), tie("json")), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join(",")}}`),
  ),
}));

test("any JSON is read as a reviver would read it, the digits of its numbers kept", () => {
  fc.assert(
    fc.property(json, (written) => {
      const read = parseExactly(written);
      assert.equal(JSON.stringify(read), JSON.stringify(parseSlowly(written)));
      assert.deepEqual(read, parseSlowly(written));
    }),
    { numRuns: 3000 },
  );
});

test("numbers keep their digits below keys of any form", () => {
  for (const written of ['{"\\"":1.0}', '{"\\u0000":[1e2]}', '{"\\n":{"1":-0}}', '{"__proto__":1.0}']) {
    assert.equal(JSON.stringify(parseExactly(written)), written);
  }
});

test("texts and keys that look like marks stay what they are", () => {
  for (const written of [
    '{"\\u00000":1.0,"a":"\\u00000"}',
    '["\\u00000",1.0,"\\u0000"]',
    '"\\u00001.0"',
    '{"a" :"\\\\u0000",\n"b":-0}',
  ]) {
    assert.equal(JSON.stringify(parseExactly(written)), written.replace(/[ \n]/g, ""));
  }
});

test("invalid JSON is rejected, whatever its numbers look like", () => {
  for (const wrong of [
    "01.0",
    "[1.0",
    '"1.0',
    "1.2.3",
    "[-,1.0]",
    "1.0e",
    "[1.0 1.0]",
    '{"a":1.0,}',
    "[+1.0]",
    '["\\u00",1.0]',
  ]) {
    assert.throws(() => parseExactly(wrong), SyntaxError, wrong);
  }
});

test("a text of many values with one unusual number costs little more than without", () => {
  const list = (count: number) => `{"a":[${"1,".repeat(count)}1.0]}`;
  // A reviver takes more than fifty times as long.
  const cost = (parse: (text: string) => unknown, given: string) => {
    const before = process.threadCpuUsage();
    parse(given);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const given = list(200_000);
  const exact = Math.min(...[1, 2, 3].map(() => cost(parseExactly, given)));
  assert.ok(exact * 4 < cost(parseSlowly, given), `${exact} µs`);
  assert.ok(costRatio(4_000, (size) => parseExactly(list(size))) < COST_RATIO_MAX);
});

test("other values are unchanged", () => {
  assert.deepEqual(["true", "false", "null"].map(readNumberExactly), [true, false, null]);
  for (const value of [null, "1.0", {}, [], undefined]) {
    assert.equal(isExactNumber(value), false);
    assert.equal(toDouble(value), value);
  }
  assert.throws(() => parseExactly("{1.0"), SyntaxError);
});
