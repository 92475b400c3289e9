import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../support/fast-check.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { foldParts } from "../../support/provider-samples.ts";
import { CORPUS, FIXTURE_NAMES, readFixture } from "./corpus.ts";
import { decodeBytes } from "./decode-bytes.ts";

test("every fixture is in the corpus", () => {
  const used = CORPUS.flatMap(({ name }) => name.split(" and "));
  assert.deepEqual(used.toSorted(), FIXTURE_NAMES.toSorted());
});

for (const { name, responses, folded, failure } of CORPUS) {
  const whole = decodeBytes(responses.map((bytes) => [bytes]));

  test(`${name} decodes to its expected parts`, () => {
    assert.equal(whole.failure?.code ?? null, failure);
    assert.deepEqual(foldParts(whole.parts), folded);
  });

  test(`${name} decodes to the same parts wherever it is cut`, () => {
    for (const [position, bytes] of responses.entries()) {
      for (let at = 1; at < bytes.length; at++) {
        const pieces = responses.map((other, index) =>
          index === position ? [bytes.subarray(0, at), bytes.subarray(at)] : [other],
        );
        const decoded = decodeBytes(pieces);
        assert.deepEqual(withoutReports(decoded.parts), withoutReports(whole.parts), `cut at ${at}`);
        assert.equal(decoded.failure?.message, whole.failure?.message);
      }
    }
  });

  test(`${name} decodes to the same parts byte by byte`, () => {
    const decoded = decodeBytes(responses.map((bytes) => Array.from(bytes, (byte) => Uint8Array.of(byte))));
    assert.deepEqual(withoutReports(decoded.parts), withoutReports(whole.parts));
    assert.equal(decoded.failure?.message, whole.failure?.message);
  });
}

/**
 * Counts are reported once for all chunks that arrive together, as is what is kept: how often depends on the cuts. The
 * last count does not.
 */
function withoutReports(parts: readonly ProviderPart[]): readonly ProviderPart[] {
  const last = parts.findLastIndex(({ type }) => type === "usage");
  return parts.filter(({ type }, index) => type !== "kept" && (type !== "usage" || index === last));
}

test("usage is reported once for all chunks that arrive together, and before the end", () => {
  const kinds = decodeBytes([[readFixture("text")]]).parts.map(({ type }) => type);
  assert.deepEqual(kinds, ["text", "text", "text", "usage", "finished"]);
});

test("thoughts are one part before the text, with the signature of the part after them", () => {
  const kinds = (name: string) => decodeBytes([[readFixture(name)]]).parts.filter(({ type }) => type !== "usage");
  assert.deepEqual(
    kinds("thinking").map(({ type }) => type),
    ["reasoning", "text", "text", "finished"],
  );
  assert.deepEqual(kinds("document-object")[0], { type: "reasoning", summary: ["Hm."], encryptedContent: null });
  const [, , , , reasoning] = kinds("tool-between-texts").filter(({ type }) => type !== "call_arguments");
  assert.deepEqual(reasoning, { type: "reasoning", summary: ["Hm."], encryptedContent: null });
});

test("the encrypted content of thoughts is the signature of the call after them", () => {
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

test("a round continues with the last token of a response, and never twice with the same one", () => {
  const first = readFixture("continuation-1");
  assert.deepEqual(decodeBytes([[first], [readFixture("continuation-2")]]).tokens, ["tok-1"]);
  const again = decodeBytes([[first], [first], [first]]);
  assert.deepEqual(again.tokens, ["tok-1"]);
  assert.equal(foldParts(again.parts).incompleteReason, "max_output_tokens");
});

test("a round that continues without end is cut exactly at the turn's output limit", () => {
  // Of the 2,000 tokens allowed, each response takes 5 of thought and so many of text.
  for (const [textTokens, furtherAnswers] of [
    [595, 3],
    [495, 3],
    [494, 4],
  ] as const) {
    const text = readFixture("continuation-1").toString("utf8");
    const counted = text.replaceAll('"candidatesTokenCount": 10', `"candidatesTokenCount": ${textTokens}`);
    const responses = Array.from({ length: 10 }, (_, index) => [
      Buffer.from(counted.replaceAll("tok-1", `tok-${index}`)),
    ]);
    const decoded = decodeBytes(responses);
    assert.equal(decoded.tokens.length, furtherAnswers, `${textTokens} tokens of text`);
    assert.equal(foldParts(decoded.parts).incompleteReason, "max_output_tokens");
  }
});

test("a failure has the provider's request id and its Retry-After", () => {
  for (const name of ["broken-limited-midstream", "broken-limited-bare"]) {
    const { failure } = decodeBytes([[readFixture(name)]]);
    assert.deepEqual([failure?.requestId, failure?.retryAfterSeconds], ["resp-g1", 35], name);
  }
});

test("any bytes end in a response or an upstream error", () => {
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
