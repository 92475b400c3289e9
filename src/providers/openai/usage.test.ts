import assert from "node:assert/strict";
import test from "node:test";
import { usageOf } from "../wire/token-counts.ts";
import { decodeUsage } from "./usage.ts";

/** The usage of counts; null if they are not whole. */
function readUsage(value: unknown) {
  const counts = decodeUsage(value);
  return counts === null ? null : usageOf(counts, false);
}

test("counts are taken unchanged; the total is their sum", () => {
  assert.deepEqual(
    readUsage({
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

test("details never exceed their totals, and are zero when missing or invalid", () => {
  const usage = (input: unknown, output: unknown) =>
    readUsage({ input_tokens: 5, output_tokens: 2, input_tokens_details: input, output_tokens_details: output });
  assert.deepEqual(usage({ cached_tokens: 4, cache_write_tokens: 4 }, { reasoning_tokens: 8 }), {
    ...usage({ cached_tokens: 4, cache_write_tokens: 1 }, { reasoning_tokens: 2 }),
  });
  for (const nonsense of [undefined, null, 4, { cached_tokens: "4", reasoning_tokens: -1 }]) {
    assert.equal(usage(nonsense, nonsense)?.input_tokens_details.cached_tokens, 0);
    assert.equal(usage(nonsense, nonsense)?.output_tokens_details.reasoning_tokens, 0);
  }
});

test("a gateway may count in the names of chat completions", () => {
  const usage = readUsage({
    prompt_tokens: 20,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: 15 },
    completion_tokens_details: { reasoning_tokens: 4 },
  });
  assert.deepEqual([usage?.input_tokens, usage?.input_tokens_details.cached_tokens], [20, 15]);
  assert.deepEqual([usage?.output_tokens, usage?.output_tokens_details.reasoning_tokens], [9, 4]);
});

test("impossible counts are no usage", () => {
  const broken: unknown[] = [null, 4, [], {}, { input_tokens: 1 }];
  for (const count of [-1, 1.5, 1e12, "5", null]) broken.push({ input_tokens: count, output_tokens: 1 });
  for (const value of broken) assert.equal(readUsage(value), null);
});

test("reasoning counted beside the output, as the total shows, is output; counted within it, it counts once", () => {
  const countsOf = (output: number, total: number) => {
    const usage = readUsage({
      input_tokens: 21,
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 60 },
      total_tokens: total,
    });
    return [usage?.output_tokens, usage?.output_tokens_details.reasoning_tokens, usage?.total_tokens];
  };
  assert.deepEqual(countsOf(0, 81), [60, 60, 81]);
  assert.deepEqual(countsOf(9, 90), [69, 60, 90]);
  assert.deepEqual(countsOf(70, 91), [70, 60, 91]);
});

test("the names of chat completions count only where this wire's have no count", () => {
  const others = { prompt_tokens: 200, completion_tokens: 40 };
  const own = { input_tokens: 1200, output_tokens: 50, total_tokens: 1250 };
  assert.deepEqual(readUsage({ ...others, ...own }), readUsage(own));
  assert.deepEqual(readUsage({ ...others, input_tokens: 0, output_tokens: 0 }), readUsage(others));
});
