// docs/reliability.md, A-4
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from "../../contract/limits.ts";
import { apiErrorOf, assertInvalidInput } from "../../../test/support/responses.ts";
import { readInSteps, readJsonBody } from "./json-body.ts";
import { describe } from "./json-value.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readJsonBody(encode(text), "required");

function readAll(bytes: Uint8Array) {
  const steps = readInSteps(bytes, "required");
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

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

test("ninety thousand brackets are rejected without a crash", () => {
  assertInvalidInput(() => read(`{"a":${"[".repeat(90_000)}${"]".repeat(90_000)}}`), "a");
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
  const canonical = (text: string) => readAll(encode(text)).canonicalText();
  const id = '"conversation":"conv_01a20769e82120aa9223372036854775807"';
  assert.equal(canonical(`{"a":"1e999 \\"",${id}}`), `{"a":"1e999 \\"",${id}}`);
  assert.equal(canonical(`{${id},"a":"1e999 \\""}`), `{"a":"1e999 \\"",${id}}`);
  assert.equal(canonical('{"a":9223372036854775807}'), null);
});

test("a body is accepted exactly if JSON.parse accepts it, and read as the same value", () => {
  const pieces = fc.constantFrom(
    ...'{}[]:,"\\/ \n\tu0123456789abcdefEtrunls+-.é😀'.split(""),
    '"a"',
    "true",
    "null",
    "-0",
    "1.0",
    "1.5e3",
    "01",
    "1.",
    ".5",
    "9223372036854775807",
    "\\u12g4",
    "\\u00e9",
    "\u0001",
    "[]",
    "{}",
    '"a":',
  );
  const text = fc.array(pieces, { maxLength: 12, size: "max" }).map((all) => all.join(""));
  const broken = fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), pieces).map(([value, place, piece]) => {
    const whole = JSON.stringify(value);
    const at = place % (whole.length + 1);
    return whole.slice(0, at) + piece + whole.slice(at + 1);
  });
  fc.assert(
    fc.property(fc.oneof(text, broken), (sent) => {
      fc.pre(sent.isWellFormed() && !/\\u0000|\\ud[89a-f]/i.test(sent));
      let expected: unknown;
      try {
        expected = JSON.parse(sent);
      } catch {
        assertInvalidInput(() => read(`{"a":${sent}}`), null, "not valid JSON");
        return;
      }
      assert.deepEqual(read(`{"a":${sent}}`)["a"], expected);
    }),
    { numRuns: 3000 },
  );
});

test("a number never makes a key", () => {
  for (const text of ['{"a":1,1.0:2}', '{"a":{-0 :2}}', '{"tools":[{1e400\n:2}]}']) {
    assertInvalidInput(() => read(text), null, "not valid JSON");
  }
});

test("a number is a double in a field and keeps its digits in a JSON schema", () => {
  const numbers = "[9223372036854775807,1.0,-0,1e400,0.1,12]";
  const body = read(
    `{"z":${numbers},"tools":[5,{"parameters":${numbers},"z":1.0}],"text":{"format":{"schema":${numbers}}}}`,
  );
  assert.deepEqual(body["z"], [Number(9223372036854775807n), 1, -0, Infinity, 0.1, 12]);
  assert.equal(JSON.stringify(body["tools"]), `[5,{"parameters":${numbers},"z":1}]`);
  assert.equal(JSON.stringify(body["text"]), `{"format":{"schema":${numbers}}}`);
});

test(`a body of ${JSON_VALUES_MAX} values is read, one of more is 413, whatever they are`, () => {
  const rest = JSON_VALUES_MAX - 2;
  for (const value of ["1", "{}", " [ ] ", '","', "null"]) {
    const list = `${`${value},`.repeat(rest - 1)}${value}`;
    assert.equal((read(`{"z":[${list}]}`)["z"] as unknown[]).length, rest);
    const fault = apiErrorOf(() => read(`{"z":[${list},${value}]}`));
    assert.deepEqual([fault.status, fault.code, fault.param], [413, "invalid_input", null]);
    assert.match(fault.message, new RegExp(`more than ${JSON_VALUES_MAX} values`));
  }
});

test("a long body is read in steps, and as a short one is", () => {
  const pieces = ["é", "漢", "😀", "\ufeff", '\\"', "x"].map((piece) => piece.repeat(1_000_001));
  const text = JSON.stringify({ a: pieces, n: 1 }).replace(/}$/, ',"b":1.0,"c":1.50}');
  const bytes = encode(`\ufeff${text}`);
  assert.deepEqual(readAll(bytes).fields, JSON.parse(text));
  assert.equal(readAll(bytes).canonicalText(), null);
  assert.ok([...readInSteps(bytes, "required")].length > 10);
  assert.deepEqual([...readInSteps(encode('{"a":1.0}'), "required")], []);
  const cut = Uint8Array.from([...bytes.subarray(0, 3_000_000), 0xff, ...bytes.subarray(3_000_000)]);
  assertInvalidInput(() => readAll(cut), null, "UTF-8");
});
