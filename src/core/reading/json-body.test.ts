import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { JSON_DEPTH_MAX } from "../../contract/limits.ts";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { readSmallBody, readJsonBody } from "./json-body.ts";
import { describe } from "./json-value.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readJsonBody(encode(text), "required");

/** An object of that many levels, arrays inside. */
const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

test("values are described in distinct words", () => {
  const values = [null, undefined, [], {}, "a", 1.5, true, read('{"a":1e999}')["a"], read('{"a":-1e999}')["a"]];
  const beyond = "a number beyond all bounds";
  const words = ["null", "nothing", "an array", "an object", '"a"', "1.5", "true", beyond, beyond];
  assert.deepEqual(values.map(describe), words);
});

test("an object is read unchanged", () => {
  assert.deepEqual(read(' {"model":"m","input":["é😀",1.5,null,true,{}]} '), {
    model: "m",
    input: ["é😀", 1.5, null, true, {}],
  });
});

test("an empty body, or only white space, is an object where the body is optional", () => {
  for (const text of ["", " ", "\r\n\t ", " ".repeat(100_000)]) {
    const bytes = Buffer.from(text);
    assert.deepEqual(readJsonBody(bytes, "optional"), {});
    assertInvalidInput(() => readJsonBody(bytes, "required"), null, "empty");
  }
});

for (const text of [
  "",
  " ",
  "{",
  '{"a":1}x',
  "{'a':1}",
  '{"a":01}',
  "undefined",
  "NaN",
  '{"a":"\u0000"}',
  '{"a":"\\x"}',
]) {
  test(`${JSON.stringify(text)} is not JSON and is rejected without param`, () =>
    assertInvalidInput(() => read(text), null));
}

test("a syntax error names the position and quotes nothing", () => {
  assertInvalidInput(() => read('{"secret":"hunter2" "x"}'), null, /position 20/);
  assertInvalidInput(() => read('{"secret":"hunter2"'), null, /position 19/);
  assertInvalidInput(() => read("x"), null, /position 0/);
  assert.throws(
    () => read('{"secret":"hunter2" "x"}'),
    (error: Error) => !error.message.includes("hunter2"),
  );
});

for (const text of ["[]", "null", '"text"', "12", "true"]) {
  test(`the body ${text} is not an object and is rejected without param`, () => {
    assertInvalidInput(() => read(text), null, "must be a JSON object");
  });
}

for (const [name, bytes] of [
  ["a byte that begins nothing", [0xff]],
  ["an overlong form", [0xc0, 0xaf]],
  ["half a surrogate pair in UTF-8", [0xed, 0xa0, 0x80]],
  ["a sequence cut short", [0xe2, 0x82]],
] as const) {
  test(`${name} is rejected as invalid UTF-8`, () => {
    const body = Uint8Array.from([...encode('{"a":"'), ...bytes, ...encode('"}')]);
    assertInvalidInput(() => readJsonBody(body, "required"), null, "UTF-8");
  });
}

test(`${JSON_DEPTH_MAX} levels are accepted, one more is rejected with the field as param`, () => {
  assert.ok(read(nested(JSON_DEPTH_MAX)));
  assertInvalidInput(() => read(nested(JSON_DEPTH_MAX + 1)), "a", `deeper than ${JSON_DEPTH_MAX}`);
  const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  assert.ok(read(objects(JSON_DEPTH_MAX)));
  assertInvalidInput(() => read(objects(JSON_DEPTH_MAX + 1)), "a");
});

test("a scalar at the deepest level does not count as a level", () => {
  assert.ok(read(`{"a":${"[".repeat(JSON_DEPTH_MAX - 1)}1,"x"${"]".repeat(JSON_DEPTH_MAX - 1)}}`));
});

test("a string that does not end is invalid JSON, however deep its brackets go", () => {
  assertInvalidInput(() => read(`{"a":${"[{},".repeat(40)}"${"[".repeat(100)}`), null, "not valid JSON");
});

test("many shallow values and brackets in strings are not deep", () => {
  assert.ok(read(`{"a":[${"[],".repeat(500)}{}]}`));
  assert.ok(read(JSON.stringify({ a: "[".repeat(500) })));
});

test("the depth check follows the value, whatever its strings contain", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", "a"), maxLength: 60 });
  const leaf = fc.jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom('"', "\\", "[", "]", "{", "}", "a") });
  const levels = fc.integer({ min: JSON_DEPTH_MAX - 6, max: JSON_DEPTH_MAX + 2 });
  fc.assert(
    fc.property(leaf, levels, text, (value, count, key) => {
      let deep: unknown = value;
      for (let level = 0; level < count; level++) deep = level % 2 === 0 ? { [key]: deep } : [key, deep];
      const body = JSON.stringify({ deep });
      if (depthOf(JSON.parse(body)) > JSON_DEPTH_MAX) assertInvalidInput(() => read(body), "deep", "deeper");
      else assert.deepEqual(read(body), JSON.parse(body));
    }),
  );
});

test("a hundred thousand brackets are rejected without a crash", () => {
  assertInvalidInput(() => read(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`), "a");
});

const nul = "\\u0000";
for (const [body, param, place] of [
  [`{"input":"a${nul}b"}`, "input", "input"],
  [`{"unheard_of":"${nul}"}`, "unheard_of", "unheard_of"],
  [`{"input":[{"role":"user","content":[{"text":"${nul}"}]}]}`, "input", "input[0].content[0].text"],
  [`{"metadata":{"a":{"b":["x","${nul}"]}}}`, "metadata", "metadata.a.b[1]"],
  [`{"metadata":{"a${nul}":"x"}}`, "metadata", "A key of metadata"],
  [`{"tools":[{"parameters":{"${nul}":1}}]}`, "tools", "A key of tools[0].parameters"],
  [`{"a${nul}":1}`, "a\\u0000", "a\\u0000"],
  [`{"__proto__":"${nul}"}`, "__proto__", "__proto__"],
] as const) {
  test(`U+0000 in ${body} is rejected with param ${param}, naming ${place}`, () => {
    assertInvalidInput(() => read(body), param, place, "U+0000");
  });
}

for (const [body, param] of [
  ['{"input":"\\ud800"}', "input"],
  ['{"input":"\\udc00\\ud800"}', "input"],
  ['{"metadata":{"k":"x\\uD83D"}}', "metadata"],
  ['{"ignored":[["\\udfff"]]}', "ignored"],
] as const) {
  test(`half a surrogate pair in ${body} is rejected with param ${param}`, () => {
    assertInvalidInput(() => read(body), param, "half a surrogate pair");
  });
}

test("an escaped pair, an escaped backslash before u0000 and the replacement character are read", () => {
  assert.deepEqual(read('{"input":"\\ud83d\\ude00","a":"\\\\u0000","b":"\\ufffd"}'), {
    input: "😀",
    a: "\\u0000",
    b: "�",
  });
});

test("__proto__ is a key like any other and does not change the prototype", () => {
  const body = read('{"__proto__":{"model":"evil"},"constructor":{"prototype":{"stream":true}}}');
  assert.equal(body["model"], undefined);
  assert.equal(body["stream"], undefined);
  assert.ok(Object.hasOwn(body, "__proto__"));
  assert.equal(({} as Record<string, unknown>)["model"], undefined);
});

test("the JSON of any storable value is read as that value", () => {
  const value = fc.dictionary(
    fc.string({ unit: "grapheme", maxLength: 100 }),
    fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }),
  );
  fc.assert(
    fc.property(value, (object) => {
      fc.pre(!JSON.stringify(object).includes("\\u0000"));
      assert.deepEqual(read(JSON.stringify(object)), JSON.parse(JSON.stringify(object)));
    }),
    { numRuns: 60 },
  );
});

test("member order does not change the canonical text, digits in strings neither; a number with more digits has none", () => {
  const canonical = (text: string) => readSmallBody(encode(text), "required")?.canonicalText();
  const id = '"conversation":"conv_01a20769e82120aa9223372036854775807"';
  assert.equal(canonical(`{"a":"1e999 \\"",${id}}`), `{"a":"1e999 \\"",${id}}`);
  assert.equal(canonical(`{${id},"a":"1e999 \\""}`), `{"a":"1e999 \\"",${id}}`);
  assert.equal(canonical('{"a":9223372036854775807}'), null);
});
