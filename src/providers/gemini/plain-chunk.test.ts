import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { readPlainChunk } from "./plain-chunk.ts";

const chunk = (text: string, more: object = {}, usage: object = { promptTokenCount: 3, candidatesTokenCount: 1 }) => ({
  candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
  usageMetadata: usage,
  modelVersion: "gemini-3.8-flash",
  responseId: "resp-1",
});

/** As the provider writes it: a space behind colons and commas, where no text has any. */
const spaced = (json: string) => json.replace(/([:,])(?=["{[\d])/g, "$1 ");

test("text and counts of a chunk are what its JSON says", () => {
  const usage = {
    promptTokenCount: 3,
    totalTokenCount: 12,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 3 }, { modality: "IMAGE" }],
    serviceTier: "standard",
  };
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const data = JSON.stringify(chunk(text, {}, usage));
      const plain = readPlainChunk(data);
      assert.equal(plain?.text, text);
      assert.deepEqual(JSON.parse(plain?.usage ?? ""), usage);
    }),
  );
  assert.equal(readPlainChunk(spaced(JSON.stringify(chunk("Hi", {}, usage))))?.text, "Hi");
});

test("a chunk that says more, or says it elsewhere, is not taken for a plain one", () => {
  const others = [
    chunk("Hi", { finishReason: "STOP" }),
    chunk("Hi", { index: 1 }),
    chunk("Hi", { continuationToken: "t" }),
    chunk("Hi", {}, {}),
    chunk("Hi", {}, { promptTokenCount: -1 }),
    chunk("Hi", {}, { promptTokenCount: 12_345_678_901 }),
    { ...chunk("Hi"), error: { code: 500 } },
    { ...chunk("Hi"), promptFeedback: {} },
    { ...chunk("Hi"), candidates: [] },
    { ...chunk("Hi"), candidates: [{ content: { parts: [{ text: "Hi", thought: true }], role: "model" }, index: 0 }] },
    { ...chunk("Hi"), candidates: [{ content: { parts: [{ text: "a" }, { text: "b" }], role: "model" }, index: 0 }] },
  ];
  for (const other of others) assert.equal(readPlainChunk(JSON.stringify(other)), null);
});

test("what is taken for a plain chunk is JSON, whatever was changed in it", () => {
  const data = spaced(JSON.stringify(chunk('a "word"\n', {}, { promptTokenCount: 3, details: [{ a: 1, b: "c" }] })));
  const edit = fc.record({
    at: fc.nat(data.length - 1),
    remove: fc.nat(3),
    insert: fc.constantFrom("", '"', "\\", "{", "}", "[", "]", ",", ":", "0", "1", " ", "\n", "u00e9", ',"error":1'),
  });
  fc.assert(
    fc.property(edit, ({ at, remove, insert }) => {
      const changed = data.slice(0, at) + insert + data.slice(at + remove);
      const plain = readPlainChunk(changed);
      if (plain === null) return;
      const value = JSON.parse(changed) as ReturnType<typeof chunk>;
      assert.equal(plain.text, value.candidates[0]?.content.parts[0]?.text);
      assert.deepEqual(JSON.parse(plain.usage), value.usageMetadata);
    }),
    { numRuns: 2000 },
  );
});

test("a long text costs time in proportion", () => {
  const data = JSON.stringify(chunk('\\"'.repeat(200_000))).slice(0, -1);
  const started = performance.now();
  assert.equal(readPlainChunk(data), null);
  assert.ok(performance.now() - started < 2000);
});
