import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../../test/support/fast-check.ts";
import { JSON_DEPTH_MAX, JSON_NUMBER_CHARACTERS_MAX, JSON_VALUES_MAX } from "../../../contract/limits.ts";
import { assertInvalidInput, apiErrorOf } from "../../../../test/support/responses.ts";
import { CREATE_RESPONSE_SELECTION } from "../body-selections.ts";
import { BodyScanner } from "./body-scanner.ts";
import { type Selection, VALUE, WHOLE } from "./selection.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** The value of a scan that takes `stretch` bytes a step. */
function scanBytes(bytes: Uint8Array, selection: Selection, stretch: number): unknown {
  const scan = new BodyScanner(bytes, selection);
  while (!scan.step(stretch));
  return scan.value;
}

const scan = (text: string, selection: Selection = WHOLE, stretch = 7) => scanBytes(encode(text), selection, stretch);
const read = (text: string) => scan(text, CREATE_RESPONSE_SELECTION);
const stretches = fc.integer({ min: 1, max: 40 });

test("the scanner reads what JSON.parse reads, whatever the step size", () => {
  const value = fc.jsonValue({ stringUnit: "grapheme", noUnicodeString: false } as object);
  fc.assert(
    fc.property(value, stretches, fc.constantFrom(0, 1), (sent, stretch, indent) => {
      const text = JSON.stringify(sent, null, indent);
      fc.pre(!/\\u0000|\\ud[89a-f]/.test(text) && text.length < 50_000);
      assert.deepEqual(JSON.stringify(scan(text, WHOLE, stretch)), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("the scanner accepts exactly the texts that JSON.parse accepts", () => {
  const pieces = fc.constantFrom(
    ...'{}[]:,"\\/ \n\tu0123456789abcdefEtrunls+-.é😀'.split(""),
    '"a"',
    "true",
    "null",
    "-0",
    "1.5e3",
    "01",
    "1.",
    ".5",
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
    fc.property(fc.oneof(text, broken), stretches, (sent, stretch) => {
      fc.pre(sent.isWellFormed() && /\S/.test(sent) && !/\\u0000|\\ud[89a-f]/i.test(sent));
      let expected: unknown;
      try {
        expected = JSON.parse(sent);
      } catch {
        assertInvalidInput(() => scan(sent, WHOLE, stretch), null, "not valid JSON");
        return;
      }
      assert.deepEqual(JSON.parse(JSON.stringify(scan(sent, WHOLE, stretch))), expected);
    }),
    { numRuns: 3000 },
  );
});

test("the scanner accepts exactly the bytes that a UTF-8 decoder accepts", () => {
  const byte = fc.oneof(
    fc.integer({ min: 0x80, max: 0xff }),
    fc.constantFrom(0x20, 0x61, 0xe2, 0xed, 0xf0, 0xf4, 0x90),
  );
  const bytes = fc.array(byte, { minLength: 1, maxLength: 8, size: "max" });
  fc.assert(
    fc.property(bytes, stretches, (sent, stretch) => {
      const body = Uint8Array.from([0x22, ...sent, 0x22]);
      let expected: string;
      try {
        expected = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(sent));
      } catch {
        assertInvalidInput(() => scanBytes(body, WHOLE, stretch), null);
        return;
      }
      assert.equal(scanBytes(body, WHOLE, stretch), expected);
    }),
    { numRuns: 2000 },
  );
});

test("unselected members never become values, in items and tools too", () => {
  const body = {
    unheard: [{ a: 1 }],
    model: { junk: [1] },
    input: [{ role: "user", status: ["x"], content: [{ type: "input_text", text: "a", logprobs: [1] }] }, 5, [6]],
    tools: [{ type: "function", name: "t", extra: {}, parameters: { any: ["thing"] } }],
    conversation: { id: "conv_1", object: "conversation" },
  };
  assert.deepEqual(read(JSON.stringify(body)), {
    model: {},
    input: [{ role: "user", content: [{ type: "input_text", text: "a" }] }, 5, []],
    tools: [{ type: "function", name: "t", parameters: { any: ["thing"] } }],
    conversation: { id: "conv_1" },
  });
});

test("an escaped key equals the plain one, and the last value of a key wins", () => {
  assert.deepEqual(read(String.raw`{"input":"a","in\u0070ut":"b"}`), { input: "b" });
  assert.deepEqual(read('{"input":[{"role":"user"}],"input":"b"}'), { input: "b" });
  assert.deepEqual(Object.keys(read('{"metadata":{"__proto__":"x"}}') as object), ["metadata"]);
  const { metadata } = read('{"metadata":{"__proto__":"x"}}') as { metadata: object };
  assert.ok(Object.hasOwn(metadata, "__proto__"));
});

test("a long unknown key that lies on the boundary of two steps does not hide the field after it", () => {
  const bytes = encode(`{"${"k".repeat(800)}":1,"model":"m"}`);
  for (const first of [100, 302, 386, 500]) {
    const scanner = new BodyScanner(bytes, CREATE_RESPONSE_SELECTION);
    scanner.step(first);
    assert.ok(scanner.step(bytes.length));
    assert.deepEqual(scanner.value, { model: "m" }, `${first}`);
  }
});

test("a leading byte order mark is skipped, one within a string is kept", () => {
  assert.deepEqual(scan('\ufeff{"a":"\ufeffb"}'), { a: "\ufeffb" });
});

const nul = String.raw`\u0000`;
for (const [body, param, place] of [
  [`{"model":5,"unheard":{"of":[1,["${nul}"]]}}`, "unheard", "unheard.of[1][0] contains"],
  [`{"unheard":{"a${nul}":1}}`, "unheard", "A key of unheard contains"],
  [`{"a${nul}":1}`, String.raw`a\u0000`, String.raw`a\u0000 contains`],
  [`{"z":${"[".repeat(40)}"${nul}"${"]".repeat(40)}}`, "z", `z${"[0]".repeat(15)}… contains`],
  [`{"${"k".repeat(500)}":"${nul}"}`, `${"k".repeat(64)}…`, "k… contains"],
  [`{"input":"${"a".repeat(300)}${nul}${"a".repeat(300)}"}`, "input", "input contains"],
] as const) {
  test(`U+0000 in ${body.slice(0, 50)} is rejected, naming its place`, () => {
    assertInvalidInput(() => read(body), param, place, "U+0000");
  });
}

test("half a surrogate pair and any depth are ignored in unselected members", () => {
  const deep = `${"[".repeat(5000)}"\\ud800"${"]".repeat(5000)}`;
  assert.deepEqual(read(`{"a":${deep},"\\udc00":1,"input":[{"role":"user","status":${deep}}],"model":${deep}}`), {
    input: [{ role: "user" }],
    model: [],
  });
});

for (const [body, param, ...words] of [
  ['{"input":"\\ud800"}', "input", "input contains half a surrogate pair"],
  ['{"metadata":{"a":"\\udc00\\ud800"}}', "metadata", "metadata.a contains"],
  ['{"tools":[{"parameters":{"\\ud800":1}}]}', "tools", "A key of tools[0].parameters contains"],
  [`{"tools":[{"parameters":${'{"a":'.repeat(60)}{}${"}".repeat(60)}}]}`, null],
  [`{"tools":[{"parameters":${'{"a":'.repeat(61)}{}${"}".repeat(61)}}]}`, "tools", `deeper than ${JSON_DEPTH_MAX}`],
] as const) {
  test(`${body.slice(0, 60)} is ${param === null ? "accepted" : "rejected"}`, () => {
    if (param === null) assert.ok(read(body));
    else assertInvalidInput(() => read(body), param, ...words);
  });
}

test("an error of the whole body is reported before an error of a selected field", () => {
  assertInvalidInput(() => read('{"input":"\\ud800","z":"\\u0000"}'), "z", "U+0000");
  assertInvalidInput(() => read('{"input":"\\ud800"'), null, "not valid JSON");
  assertInvalidInput(() => scan('{"input":"\\u0000","z":'), null, "not valid JSON");
  assertInvalidInput(() => scan('{"a":"\\u0000","b":"\\u0000"}'), "a", "U+0000");
});

test(`more than ${JSON_VALUES_MAX} values are rejected in selected fields and ignored elsewhere`, () => {
  const many = `[${"1,".repeat(JSON_VALUES_MAX)}1]`;
  assert.deepEqual(scan(`{"z":${many},"input":"a"}`, CREATE_RESPONSE_SELECTION, 100_000), { input: "a" });
  const fault = apiErrorOf(() => scan(`{"include":${many},"input":"a"}`, CREATE_RESPONSE_SELECTION, 100_000));
  assert.deepEqual([fault.param, fault.status], ["include", 400]);
  assert.match(fault.message, new RegExp(`more than ${JSON_VALUES_MAX} values`));
});

test("a number is a double in a field, keeps its digits in a schema, and is rejected when it is too long", () => {
  const digits = "9223372036854775807";
  assert.equal(JSON.stringify(scan(`{"a":[${digits},1.0,-0,1e400,0.1]}`)), `{"a":[${digits},1.0,-0,1e400,0.1]}`);
  const selection: Selection = { members: { a: VALUE } };
  assert.deepEqual(scan(`{"a":1.0}`, selection), { a: 1 });
  const endless = "1".repeat(JSON_NUMBER_CHARACTERS_MAX + 1);
  assertInvalidInput(() => scan(`{"a":${endless}}`, selection), "a", "number");
  assert.deepEqual(scan(`{"b":${endless}}`, selection), {});
});

test("millions of nested brackets take no stack and one bit each", () => {
  const count = 2_000_000;
  const deep = new Uint8Array(2 * count + 6).fill(0x5b);
  deep.set(encode('{"z":'));
  deep.fill(0x5d, 5 + count);
  deep[2 * count + 5] = 0x7d;
  assert.deepEqual(scanBytes(deep, CREATE_RESPONSE_SELECTION, 1_000_000), {});
});
