import assert from "node:assert/strict";
import test from "node:test";
import { usageOf } from "../wire/token-counts.ts";
import { decodeUsage } from "./usage.ts";

/** The usage of counts; null if they are not whole. */
function readUsage(value: unknown) {
  const counts = decodeUsage(value);
  return counts === null ? null : usageOf(counts, false);
}

test("counts are read, and details where there are any", () => {
  assert.deepEqual(
    readUsage({
      prompt_tokens: 20,
      completion_tokens: 10,
      total_tokens: 99,
      prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 4 },
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

test("details never exceed their totals", () => {
  const usage = readUsage({
    prompt_tokens: 5,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 8 },
  });
  assert.deepEqual(usage?.input_tokens_details, { cached_tokens: 4, cache_write_tokens: 1 });
  assert.deepEqual(usage?.output_tokens_details, { reasoning_tokens: 2 });
});

test("invalid details are ignored", () => {
  const usage = readUsage({
    prompt_tokens: 5,
    completion_tokens: 2,
    prompt_tokens_details: null,
    completion_tokens_details: { reasoning_tokens: "4" },
  });
  assert.equal(usage?.input_tokens_details.cached_tokens, 0);
  assert.equal(usage?.output_tokens_details.reasoning_tokens, 0);
});

test("DeepSeek's field for cached tokens is read", () => {
  const usage = readUsage({ prompt_tokens: 5, completion_tokens: 2, prompt_cache_hit_tokens: 3 });
  assert.equal(usage?.input_tokens_details.cached_tokens, 3);
});

test("a gateway may count in the names of responses", () => {
  const usage = readUsage({ input_tokens: 20, output_tokens: 9, input_tokens_details: { cached_tokens: 15 } });
  assert.deepEqual([usage?.input_tokens, usage?.input_tokens_details.cached_tokens, usage?.output_tokens], [20, 15, 9]);
});

test("the names of responses count only where this wire's have no count", () => {
  const others = { input_tokens: 200, output_tokens: 40 };
  const own = { prompt_tokens: 1200, completion_tokens: 50, total_tokens: 1250 };
  const countsOf = (value: object) => {
    const usage = readUsage(value);
    return [usage?.input_tokens, usage?.output_tokens, usage?.output_tokens_details.reasoning_tokens];
  };
  assert.deepEqual(countsOf({ ...others, ...own }), [1200, 50, 0]);
  assert.deepEqual(countsOf({ ...others, prompt_tokens: 0, completion_tokens: 0 }), [200, 40, 0]);
});

test("impossible counts are no usage", () => {
  const broken: unknown[] = [null, 4, [], {}, { prompt_tokens: 1 }];
  for (const count of [-1, 1.5, 1e12, "5", null, Number.NaN])
    broken.push({ prompt_tokens: count, completion_tokens: 1 });
  for (const value of broken) assert.equal(readUsage(value), null);
});

test("reasoning counted beside the completion, as the total shows, is output; counted within it, it counts once", () => {
  const countsOf = (counts: object, reasoning: number) => {
    const details = { completion_tokens_details: { reasoning_tokens: reasoning } };
    const usage = readUsage({ ...counts, ...details });
    return [usage?.output_tokens, usage?.output_tokens_details.reasoning_tokens, usage?.total_tokens];
  };
  const counts = { prompt_tokens: 12, completion_tokens: 9 };
  // xAI: 12 + 9 + 308.
  assert.deepEqual(countsOf({ ...counts, total_tokens: 329 }, 308), [317, 308, 329]);
  assert.deepEqual(countsOf({ ...counts, total_tokens: 25 }, 4), [13, 4, 25]);
  // Other servers count it within the completion.
  assert.deepEqual(countsOf({ ...counts, total_tokens: 21 }, 4), [9, 4, 21]);
  // The total fits neither sum, or is missing: only the completion is certain.
  assert.deepEqual(countsOf({ ...counts, total_tokens: 99 }, 4), [9, 4, 21]);
  assert.deepEqual(countsOf(counts, 4), [9, 4, 21]);
});
