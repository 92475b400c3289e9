import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";
import fc from "../../support/fast-check.ts";
import { testCorpus } from "../../support/decoded-corpus.ts";
import { foldParts } from "../../support/provider-samples.ts";
import { NotUtf8Error } from "../../../src/providers/wire/utf8.ts";
import { CORPUS, FIXTURES } from "./corpus.ts";
import { decodeBytes } from "./decode-bytes.ts";

testCorpus(CORPUS, decodeBytes);

for (const { name, bytes, failure } of CORPUS) {
  // A beginning without its end is never a complete response.
  test(`${name} fails if it breaks off anywhere before its stop reason`, () => {
    const lastWord = bytes.indexOf('"stop_reason":"');
    const end = failure === null ? lastWord : bytes.length;
    for (let cut = 0; cut < end; cut++) {
      assert.ok(failsAt(bytes.subarray(0, cut)), `cut at ${cut}`);
    }
  });
}

function failsAt(bytes: Uint8Array): boolean {
  try {
    return decodeBytes([bytes]).failure !== null;
  } catch (error) {
    // Cut within a character: the transport makes a failure of it.
    assert.ok(error instanceof NotUtf8Error);
    return true;
  }
}

test("the encrypted content of a reasoning item is its signature, or the data of redacted thinking", () => {
  const encryptedOf = (name: string) =>
    decodeBytes([CORPUS.find((fixture) => fixture.name === name)?.bytes ?? Buffer.alloc(0)]).parts.flatMap((part) =>
      part.type === "reasoning" ? [part.encryptedContent] : [],
    );
  assert.deepEqual(encryptedOf("thinking-text"), ["EqQBCkYIBhgC"]);
  assert.deepEqual(encryptedOf("thinking-redacted-tool"), ["aGlkZGVu", "c2lnbmVkIHRocmVl"]);
  assert.deepEqual(encryptedOf("max-tokens-after-call"), ["czE=", null]);
});

test("thinking that never stops comes before the text behind it", () => {
  const { parts } = decodeBytes([CORPUS.find(({ name }) => name === "delta-first")?.bytes ?? Buffer.alloc(0)]);
  const output = parts.flatMap(({ type }) => (type === "reasoning" || type === "text" ? [type] : []));
  assert.deepEqual(output, ["reasoning", "text"]);
});

test("any events end in a response or an upstream error, with parts in order", () => {
  const type = fc.constantFrom(
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
  );
  const blockType = fc.constantFrom("text", "thinking", "redacted_thinking", "tool_use", "other");
  const word = fc.oneof(fc.constantFrom("a", '{"x":1}', "{", "", "\ud83c"), fc.jsonValue());
  const block = fc.record({
    type: blockType,
    id: word,
    name: word,
    text: word,
    thinking: word,
    data: word,
    input: word,
  });
  const delta = fc.record(
    {
      text: word,
      partial_json: word,
      thinking: word,
      signature: word,
      stop_reason: fc.constantFrom("refusal", "max_tokens", "end_turn", null),
    },
    { requiredKeys: [] },
  );
  const event = fc.record({
    type,
    index: fc.oneof(fc.nat(2), fc.jsonValue()),
    content_block: block,
    delta: fc.oneof({ weight: 5, arbitrary: delta }, { weight: 1, arbitrary: fc.jsonValue() }),
    message: fc.jsonValue(),
    usage: fc.jsonValue(),
  });
  const start = { type: "message_start", message: {} };
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const lines = [start, ...events].map((value) => `data: ${JSON.stringify(value)}\n\n`);
      foldParts(decodeBytes(lines.map((line) => Buffer.from(line))).parts);
    }),
    { numRuns: 500 },
  );
});

test("the table and the folder have the same streams", () => {
  const files = readdirSync(FIXTURES).map((file) => file.replace(/\.sse$/, ""));
  assert.deepEqual(files.sort(), CORPUS.map(({ name }) => name).sort());
});
