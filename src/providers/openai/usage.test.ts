import assert from "node:assert/strict";
import test from "node:test";
import { decodeUsage } from "./usage.ts";

test("counts are taken over one to one; the total is their sum", () => {
  assert.deepEqual(
    decodeUsage({
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 6, cache_write_tokens: 3 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 99,
    }),
    {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 6, cache_write_tokens: 3 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 30,
    },
  );
});

test("parts never exceed their wholes, and are zero where they are missing or nonsense", () => {
  const usage = (input: unknown, output: unknown) =>
    decodeUsage({ input_tokens: 5, output_tokens: 2, input_tokens_details: input, output_tokens_details: output });
  assert.deepEqual(usage({ cached_tokens: 4, cache_write_tokens: 4 }, { reasoning_tokens: 8 }), {
    ...usage({ cached_tokens: 4, cache_write_tokens: 1 }, { reasoning_tokens: 2 }),
  });
  for (const nonsense of [undefined, null, 4, { cached_tokens: "4", reasoning_tokens: -1 }]) {
    assert.equal(usage(nonsense, nonsense)?.input_tokens_details.cached_tokens, 0);
    assert.equal(usage(nonsense, nonsense)?.output_tokens_details.reasoning_tokens, 0);
  }
});

test("counts that cannot be true are no usage", () => {
  const broken: unknown[] = [null, 4, [], {}, { input_tokens: 1 }];
  for (const count of [-1, 1.5, 1e12, "5", null]) broken.push({ input_tokens: count, output_tokens: 1 });
  for (const value of broken) assert.equal(decodeUsage(value), null);
});
