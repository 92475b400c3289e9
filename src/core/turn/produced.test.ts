import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "../../contract/resources.ts";
import { produced } from "./produced.ts";
import { NO_USAGE } from "./usage.ts";

/** 6 tokens. */
const PROMPT_CHARACTERS = 21;
const told: Usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40, cache_write_tokens: 5 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 110,
};

test("nothing produced and nothing told is nothing used", () =>
  assert.deepEqual(produced(PROMPT_CHARACTERS, 0, null), NO_USAGE));

test("without a word of the provider four characters are a token, in and out", () => {
  const usage = produced(PROMPT_CHARACTERS, 9, null);
  assert.deepEqual(usage, { ...NO_USAGE, input_tokens: 6, output_tokens: 3, total_tokens: 9 });
});

test("what the provider told counts, details too, and no less output than was seen", () => {
  assert.deepEqual(produced(PROMPT_CHARACTERS, 9, told), told);
  assert.deepEqual(produced(PROMPT_CHARACTERS, 0, told), told);
  assert.deepEqual(produced(PROMPT_CHARACTERS, 80, told), { ...told, output_tokens: 20, total_tokens: 120 });
});
