import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { foldParts } from "../../support/provider-samples.ts";
import { CORPUS, FIXTURE_NAMES, readFixture } from "./corpus.ts";
import { decodeBytes } from "./decode-bytes.ts";

test("every fixture is in the corpus", () => {
  const used = CORPUS.flatMap(({ name }) => name.split(" and "));
  assert.deepEqual(used.toSorted(), FIXTURE_NAMES.toSorted());
});

for (const { name, answers, answer, failure } of CORPUS) {
  const whole = decodeBytes(answers.map((bytes) => [bytes]));

  test(`${name} is what it says`, () => {
    assert.equal(whole.failure?.code ?? null, failure);
    assert.deepEqual(foldParts(whole.parts), answer);
  });

  test(`${name} gives the same parts wherever it is cut`, () => {
    for (const [position, bytes] of answers.entries()) {
      for (let at = 1; at < bytes.length; at++) {
        const pieces = answers.map((other, index) =>
          index === position ? [bytes.subarray(0, at), bytes.subarray(at)] : [other],
        );
        const decoded = decodeBytes(pieces);
        assert.deepEqual(withLastCounts(decoded.parts), withLastCounts(whole.parts), `cut at ${at}`);
        assert.equal(decoded.failure?.message, whole.failure?.message);
      }
    }
  });

  test(`${name} gives the same parts byte by byte`, () => {
    const decoded = decodeBytes(answers.map((bytes) => Array.from(bytes, (byte) => Uint8Array.of(byte))));
    assert.deepEqual(withLastCounts(decoded.parts), withLastCounts(whole.parts));
    assert.equal(decoded.failure?.message, whole.failure?.message);
  });
}

/** Counts are told once for what the network brought together: how often depends on the cuts, the last ones do not. */
function withLastCounts(parts: readonly ProviderPart[]): readonly ProviderPart[] {
  const last = parts.findLastIndex(({ type }) => type === "usage");
  return parts.filter(({ type }, index) => type !== "usage" || index === last);
}

test("counts are told once for all the chunks that the network brought together, and before the end", () => {
  const kinds = decodeBytes([[readFixture("text")]]).parts.map(({ type }) => type);
  assert.deepEqual(kinds, ["text", "text", "text", "usage", "finished"]);
});

test("thoughts come as one part before the text, with the signature of what ended them where there is one", () => {
  const kinds = (name: string) => decodeBytes([[readFixture(name)]]).parts.filter(({ type }) => type !== "usage");
  assert.deepEqual(
    kinds("thinking").map(({ type }) => type),
    ["reasoning", "text", "text", "finished"],
  );
  assert.deepEqual(kinds("document-object")[0], { type: "reasoning", summary: ["Hm."], encryptedContent: null });
  const [, , , , reasoning] = kinds("tool-between-texts").filter(({ type }) => type !== "call_arguments");
  assert.deepEqual(reasoning, { type: "reasoning", summary: ["Hm."], encryptedContent: null });
});

test("encrypted thoughts are the signature of the call that they led to", () => {
  const parts = [
    { text: "I look.", thought: true },
    { functionCall: { name: "look", args: {} }, thoughtSignature: "sig" },
  ];
  const bytes = Buffer.from(
    `data: ${JSON.stringify({ candidates: [{ content: { parts }, finishReason: "STOP" }] })}\n\n`,
  );
  assert.deepEqual(decodeBytes([[bytes]]).parts[0], {
    type: "reasoning",
    summary: ["I look."],
    encryptedContent: "sig",
  });
});

test("a round goes on by the last token of an answer, and never by the same one twice", () => {
  const first = readFixture("continuation-1");
  assert.deepEqual(decodeBytes([[first], [readFixture("continuation-2")]]).tokens, ["tok-1"]);
  const again = decodeBytes([[first], [first], [first]]);
  assert.deepEqual(again.tokens, ["tok-1"]);
  assert.equal(foldParts(again.parts).incompleteReason, "max_output_tokens");
});

test("a round that is continued without end is cut where the turn's output is spent", () => {
  const answers = Array.from({ length: 10 }, (_, index) => {
    const text = readFixture("continuation-1").toString("utf8");
    // Of 2,000 tokens that the turn may put out each answer takes 600.
    return [
      Buffer.from(
        text
          .replaceAll("tok-1", `tok-${index}`)
          .replaceAll('"candidatesTokenCount": 10', '"candidatesTokenCount": 595'),
      ),
    ];
  });
  const decoded = decodeBytes(answers);
  assert.equal(decoded.tokens.length, 3);
  assert.equal(foldParts(decoded.parts).incompleteReason, "max_output_tokens");
});

test("a failure tells the provider's own name of the request, and its wait", () => {
  for (const name of ["broken-limited-midstream", "broken-limited-bare"]) {
    const { failure } = decodeBytes([[readFixture(name)]]);
    assert.deepEqual([failure?.requestId, failure?.retryAfterSeconds], ["resp-g1", 35], name);
  }
});

test("any bytes end in an answer or in a provider's failure", () => {
  const line = fc.oneof(
    fc.json().map((json) => `data: ${json}\n\n`),
    fc
      .record({
        candidates: fc.array(
          fc.record({
            content: fc.oneof(fc.jsonValue(), fc.record({ parts: fc.array(fc.jsonValue()) })),
            finishReason: fc.oneof(fc.constantFrom("STOP", "SAFETY", "CONTINUATION"), fc.jsonValue()),
            continuationToken: fc.jsonValue(),
          }),
        ),
        usageMetadata: fc.jsonValue(),
        promptFeedback: fc.jsonValue(),
      })
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
      const decoded = decodeBytes([[Buffer.from(lines.join(""))], [Buffer.from(lines.join(""))]]);
      foldParts(decoded.parts);
    }),
    { numRuns: 500 },
  );
});
