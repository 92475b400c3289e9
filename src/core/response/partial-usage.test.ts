import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "../../contract/resources.ts";
import { capOutput, partialUsage, type Produced } from "./partial-usage.ts";
import { NO_USAGE } from "../../contract/usage.ts";

/** 6 tokens. */
const PLAN = { promptCharacters: 21, outputTokensMax: 30 };
const emitted = (characters: number, reasoning = 0): Produced => ({
  characters,
  reasoning,
  hasOutput: characters > 0,
});
const reported: Usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40, cache_write_tokens: 5 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 110,
};

test("a response that produced nothing has no usage, whatever its provider reports of the input", () => {
  assert.deepEqual(partialUsage(PLAN, emitted(0), null), NO_USAGE);
  assert.deepEqual(partialUsage(PLAN, emitted(0), { ...NO_USAGE, input_tokens: 100, total_tokens: 100 }), NO_USAGE);
});

test("an item without text is output, and so is reasoning that only its count tells of", () => {
  const usage = partialUsage(PLAN, { ...emitted(0), hasOutput: true }, null);
  assert.deepEqual(usage, { ...NO_USAGE, input_tokens: 6, total_tokens: 6 });
  const reasoned = { ...reported, output_tokens: 4 };
  assert.equal(partialUsage(PLAN, emitted(0), reasoned).output_tokens, 4);
});

test("without a report four characters count as a token, in input and output", () => {
  const usage = partialUsage(PLAN, emitted(9), null);
  assert.deepEqual(usage, { ...NO_USAGE, input_tokens: 6, output_tokens: 3, total_tokens: 9 });
});

test("the reported usage counts, with its details, but at least the output that was received", () => {
  assert.deepEqual(partialUsage(PLAN, emitted(9), reported), reported);
  assert.deepEqual(partialUsage(PLAN, emitted(0), reported), reported);
  assert.deepEqual(partialUsage(PLAN, emitted(80), reported), { ...reported, output_tokens: 20, total_tokens: 120 });
});

test("reasoning counts as it was received, at least as reported, and at most as all output", () => {
  const tokens = (...counted: Parameters<typeof emitted>) =>
    partialUsage(PLAN, emitted(...counted), null).output_tokens_details.reasoning_tokens;
  assert.deepEqual([tokens(80, 80), tokens(80, 9), tokens(400, 400)], [20, 3, 30]);
  const more = partialUsage(PLAN, emitted(80, 40), reported);
  assert.deepEqual([more.output_tokens, more.output_tokens_details.reasoning_tokens], [20, 10]);
  assert.equal(partialUsage(PLAN, emitted(9, 9), reported).output_tokens_details.reasoning_tokens, 4);
});

test("output counts at most up to the response's limit, whatever was received or reported", () => {
  assert.equal(partialUsage(PLAN, emitted(120), null).output_tokens, 30);
  assert.equal(partialUsage(PLAN, emitted(121), null).output_tokens, 30);
  const counted = {
    ...reported,
    output_tokens: 31,
    output_tokens_details: { reasoning_tokens: 31 },
    total_tokens: 131,
  };
  const limited = {
    ...reported,
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 30 },
    total_tokens: 130,
  };
  assert.deepEqual(capOutput(counted, 30), limited);
  assert.equal(partialUsage(PLAN, emitted(0), counted).output_tokens, 30);
  assert.equal(capOutput(counted, 31), counted);
});
