import assert from "node:assert/strict";
import test from "node:test";
import { decodeUsage } from "./usage.ts";

test("counts are read, details where there are some", () => {
  assert.deepEqual(
    decodeUsage({
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

test("parts never exceed their wholes", () => {
  const usage = decodeUsage({
    prompt_tokens: 5,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 8 },
  });
  assert.deepEqual(usage?.input_tokens_details, { cached_tokens: 4, cache_write_tokens: 1 });
  assert.deepEqual(usage?.output_tokens_details, { reasoning_tokens: 2 });
});

test("details that are nonsense count nothing", () => {
  const usage = decodeUsage({
    prompt_tokens: 5,
    completion_tokens: 2,
    prompt_tokens_details: null,
    completion_tokens_details: { reasoning_tokens: "4" },
  });
  assert.equal(usage?.input_tokens_details.cached_tokens, 0);
  assert.equal(usage?.output_tokens_details.reasoning_tokens, 0);
});

test("DeepSeek's word for cached tokens is known", () => {
  const usage = decodeUsage({ prompt_tokens: 5, completion_tokens: 2, prompt_cache_hit_tokens: 3 });
  assert.equal(usage?.input_tokens_details.cached_tokens, 3);
});

test("counts that cannot be true are no usage", () => {
  const broken: unknown[] = [null, 4, [], {}, { prompt_tokens: 1 }];
  for (const count of [-1, 1.5, 1e12, "5", null, Number.NaN])
    broken.push({ prompt_tokens: count, completion_tokens: 1 });
  for (const value of broken) assert.equal(decodeUsage(value), null);
});
