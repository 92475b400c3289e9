import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import type { Usage } from "./resources.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

const usage: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat(), fc.nat())
  .map(([a, b, c, d, e]) => ({
    input_tokens: a,
    input_tokens_details: { cached_tokens: b, cache_write_tokens: c },
    output_tokens: d,
    output_tokens_details: { reasoning_tokens: e },
    total_tokens: a + d,
  }));

test("usages add up field by field; zero is neutral; order does not matter", () => {
  fc.assert(
    fc.property(usage, usage, usage, (a, b, c) => {
      assert.deepEqual(addUsage(a, NO_USAGE), a);
      assert.deepEqual(addUsage(a, b), addUsage(b, a));
      assert.deepEqual(addUsage(addUsage(a, b), c), addUsage(a, addUsage(b, c)));
      const sum = addUsage(a, b);
      assert.equal(sum.total_tokens, sum.input_tokens + sum.output_tokens);
    }),
    { numRuns: 50 },
  );
});

test("every field is summed", () => {
  const one = { input_tokens: 1, output_tokens: 3, total_tokens: 4 };
  const two = { input_tokens: 10, output_tokens: 30, total_tokens: 40 };
  const details = (cached: number, written: number, thought: number) => ({
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens_details: { reasoning_tokens: thought },
  });
  assert.deepEqual(addUsage({ ...one, ...details(5, 6, 7) }, { ...two, ...details(50, 60, 70) }), {
    input_tokens: 11,
    output_tokens: 33,
    total_tokens: 44,
    ...details(55, 66, 77),
  });
});
