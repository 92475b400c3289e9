// What holds for the corpus of every wire whose rounds have one response.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "./fast-check.ts";
import { foldParts } from "./provider-samples.ts";
import type { Decoded } from "./read-response.ts";

interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  readonly folded: ReturnType<typeof foldParts>;
  readonly failure: string | null;
}

/** The parts without those that report what is kept, which depend on the pieces. */
const outputOf = ({ parts }: Decoded) => parts.filter(({ type }) => type !== "kept");

/** Tests that each response decodes to its expected parts, in whatever pieces it arrives. */
export function testCorpus(corpus: readonly Fixture[], decodeBytes: (pieces: Iterable<Uint8Array>) => Decoded): void {
  for (const { name, bytes, folded, failure } of corpus) {
    test(`${name} decodes to its expected parts`, () => {
      const decoded = decodeBytes([bytes]);
      assert.equal(decoded.failure?.code ?? null, failure);
      assert.deepEqual(foldParts(decoded.parts), folded);
    });

    test(`${name} decodes to the same parts wherever it is cut`, () => {
      const whole = decodeBytes([bytes]);
      for (let cut = 1; cut < bytes.length; cut++) {
        const decoded = decodeBytes([bytes.subarray(0, cut), bytes.subarray(cut)]);
        assert.deepEqual(outputOf(decoded), outputOf(whole), `cut at ${cut}`);
        assert.equal(decoded.failure?.message, whole.failure?.message);
      }
    });

    test(`${name} decodes to the same parts byte by byte`, () => {
      const whole = decodeBytes([bytes]);
      const decoded = decodeBytes(Array.from(bytes, (byte) => Uint8Array.of(byte)));
      assert.deepEqual(outputOf(decoded), outputOf(whole));
      assert.equal(decoded.failure?.message, whole.failure?.message);
    });
  }

  test("every stream decodes to the same parts in any pieces", () => {
    fc.assert(
      fc.property(fc.constantFrom(...corpus), fc.array(fc.nat(4_000), { maxLength: 12 }), ({ bytes }, places) => {
        const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
          (one, other) => one - other,
        );
        const pieces = cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut));
        const decoded = decodeBytes(pieces);
        const whole = decodeBytes([bytes]);
        assert.deepEqual(outputOf(decoded), outputOf(whole));
        assert.equal(decoded.failure?.code, whole.failure?.code);
      }),
      { numRuns: 300 },
    );
  });
}
