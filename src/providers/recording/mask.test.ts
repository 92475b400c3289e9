import assert from "node:assert/strict";
import { test } from "node:test";
import { CREATE_FIELDS } from "./fields.ts";
import { readLoosely, writeLoosely } from "./loose-utf8.ts";
import { maskBody } from "./mask-body.ts";
import { maskJsonText } from "./mask-exchange.ts";
import { createMask } from "./mask.ts";

const KEY = Buffer.from("a key");
const mask = createMask(KEY);

/** What each character is. */
function classesOf(text: string): string {
  return text
    .replace(/\p{Lu}/gu, "A")
    .replace(/\p{Ll}/gu, "a")
    .replace(/\p{Lo}/gu, "o")
    .replace(/\p{N}/gu, "9")
    .replace(/\p{So}/gu, "s");
}

test("a text keeps its classes, its length and its punctuation", () => {
  const text = 'Grüße aus Москва, 東京 (🎉) – "4711"\n\u0000 \ud83c end.';
  const made = mask.text(text);
  assert.equal(classesOf(made), classesOf(text));
  assert.equal(Buffer.byteLength(made), Buffer.byteLength(text));
  for (const word of ["Grüße", "Москва", "東京"]) assert.ok(!made.includes(word));
});

test("the beginning of a text becomes the beginning of its replacement, and only under the same key", () => {
  const text = "The whole text of an answer";
  assert.ok(mask.text(text).startsWith(mask.text(text.slice(0, 9))));
  assert.equal(createMask(KEY).text(text), mask.text(text));
  assert.notEqual(createMask().text(text), mask.text(text));
});

test("names never become one", () => {
  const names = Array.from({ length: 26 }, (_, at) => String.fromCharCode(0x61 + at));
  const small = createMask(KEY);
  assert.equal(new Set(names.map((name) => small.name(name))).size, names.length);
});

test("a number keeps its form", () => {
  for (const number of ["0", "7", "120", "-0.50", "3.25e10", "1E-7", "100000000000000000000"]) {
    const made = mask.number(number);
    assert.equal(made.replace(/\d/g, "9"), number.replace(/\d/g, "9"));
    assert.doesNotThrow(() => JSON.parse(made), made);
    assert.equal(made.replace(/^-/, "").startsWith("0"), number.replace(/^-/, "").startsWith("0"));
  }
});

test("a message keeps the words by which errors are known, a pattern its syntax", () => {
  assert.match(
    mask.message("prompt is too long: 1234 tokens of Bob"),
    /^prompt is too long: \d{4} tokens of [A-Z][a-z]{2}$/,
  );
  assert.match(
    mask.pattern("^(acme|foobar)-[a-z]{2,5}\\d+\\p{Letter}$"),
    /^\^\([a-z]{4}\|[a-z]{6}\)-\[a-z\]\{2,5\}\\d\+\\p\{Letter\}\$$/,
  );
});

test("a create keeps its structure, its enums and the names that belong together", () => {
  const create = {
    model: "openai/gpt",
    input: [{ type: "message", role: "user", content: "Call Bob" }],
    tools: [
      {
        type: "function",
        name: "find_client",
        parameters: {
          type: "object",
          properties: { surname: { type: "string", enum: ["Smith"] }, type: { $ref: "#/$defs/kind" } },
          required: ["surname"],
          $defs: { kind: { type: "integer", minimum: 3, default: 12 } },
        },
      },
    ],
    tool_choice: { type: "function", name: "find_client" },
    metadata: { customer: "4711" },
    temperature: 0.5,
  };
  const made = JSON.parse(maskJsonText(JSON.stringify(create), CREATE_FIELDS, mask));
  const [tool] = made.tools;
  const [property, other] = Object.keys(tool.parameters.properties);
  const [kind] = Object.keys(tool.parameters.$defs);
  assert.equal(tool.name, made.tool_choice.name);
  assert.deepEqual(tool.parameters, {
    type: "object",
    properties: {
      [property ?? ""]: { type: "string", enum: [mask.text("Smith")] },
      [other ?? ""]: { $ref: `#/$defs/${kind}` },
    },
    required: [property],
    $defs: { [kind ?? ""]: { type: "integer", minimum: 3, default: tool.parameters.$defs[kind ?? ""].default } },
  });
  assert.deepEqual([made.model, made.temperature, made.input[0].role], ["openai/gpt", 0.5, "user"]);
  for (const word of ["Bob", "find", "client", "surname", "Smith", "customer", "4711"])
    assert.ok(!JSON.stringify(made).includes(word), word);
});

test("escapes stay escapes, and deltas are cut where they were, within an escaped pair too", () => {
  const fields = { ...CREATE_FIELDS, deltas: ["delta"] };
  const stream =
    'data: {"delta":"Gr\\u00fc\\n\\ud83c"}\n\ndata: {"delta":"\\udf89 {\\"x"}\n\ndata: {"text":"Grü\\n🎉 {\\"x"}\n\n';
  const made = maskBody(Buffer.from(stream), fields, mask).toString();
  assert.match(
    made,
    /^data: \{"delta":"[A-Z][a-z]\\u00[\da-f]{2}\\n\\ud8[\da-f]{2}"\}\n\ndata: \{"delta":"\\ud[c-f][\da-f]{2} \{\\"[a-z]"\}\n\n/,
  );
  const [one, two, whole] = made.split("\n\n").map((line) => JSON.parse(line.slice(6) || "null"));
  assert.equal(one.delta + two.delta, whole.text);
});

test("bytes that are no UTF-8 stay as they are", () => {
  const bytes = Buffer.from([0x61, 0xff, 0xc3, 0xc3, 0xa9, 0xf0, 0x9f]);
  assert.deepEqual(writeLoosely(readLoosely(bytes)), bytes);
  assert.equal(maskBody(bytes, CREATE_FIELDS, mask).length, bytes.length);
});

test("a page, a comment and a malformed document lose their words too", () => {
  for (const body of [
    "<html>Secretly down</html>",
    ": Secretly\n\ndata: Secretly\n\n",
    'data: {"a":"Secretly\n\n',
    "{Secretly: 1,",
  ]) {
    const made = maskBody(Buffer.from(body), CREATE_FIELDS, mask).toString();
    assert.ok(!made.includes("Secretly"), made);
    assert.equal(made.length, body.length);
  }
});
