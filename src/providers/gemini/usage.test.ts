import assert from "node:assert/strict";
import test from "node:test";
import { addUsage } from "../../contract/usage.ts";
import { usageOf } from "../wire/token-counts.ts";
import { decodeUsage } from "./usage.ts";

/** The usage of counts; null if they are not whole. */
function readUsage(value: unknown) {
  const counts = decodeUsage(value);
  return counts === null ? null : usageOf(counts, false);
}

const usage = (input: number, output: number, cached = 0, reasoning = 0) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

test("thoughts are output, cached tokens are input", () => {
  const metadata = {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    toolUsePromptTokenCount: 5,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 94,
    totalTokenCount: 206,
  };
  assert.deepEqual(readUsage(metadata), usage(105, 101, 40, 94));
});

test("a blocked prompt has input tokens only", () => {
  assert.deepEqual(readUsage({ promptTokenCount: 9, totalTokenCount: 9 }), usage(9, 0));
});

test("output that is not counted is the total without the input", () => {
  assert.deepEqual(readUsage({ promptTokenCount: 9, totalTokenCount: 30 }), usage(9, 21));
  assert.deepEqual(readUsage({ promptTokenCount: 9, thoughtsTokenCount: 4, totalTokenCount: 9 }), usage(9, 4, 0, 4));
});

test("a prompt that is not counted is the total without the output", () => {
  const metadata = { toolUsePromptTokenCount: 2, candidatesTokenCount: 7, thoughtsTokenCount: 3, totalTokenCount: 22 };
  assert.deepEqual(readUsage(metadata), usage(12, 10, 0, 3));
  assert.equal(readUsage({ thoughtsTokenCount: 3, totalTokenCount: 22 }), null);
  assert.equal(readUsage({ candidatesTokenCount: 30, totalTokenCount: 22 }), null);
});

test("impossible counts are no usage", () => {
  for (const value of [null, [], {}, { promptTokenCount: -1 }, { promptTokenCount: "9" }, { promptTokenCount: 1e12 }]) {
    assert.equal(readUsage(value), null);
  }
  assert.deepEqual(readUsage({ promptTokenCount: 9, cachedContentTokenCount: 50 }), usage(9, 0, 9));
});

test("the responses of one round are summed", () => {
  assert.deepEqual(addUsage(usage(9, 5, 1, 2), usage(20, 7, 9, 3)), usage(29, 12, 10, 5));
});
