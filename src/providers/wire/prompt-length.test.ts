import assert from "node:assert/strict";
import { test } from "node:test";
import { saysPromptTooLong } from "./prompt-length.ts";

const says = (message: string, words: readonly string[] = [], status = 400) =>
  saysPromptTooLong(status, { message, words });

const SENTENCES = [
  "prompt is too long: 207101 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`",
  "Input is too long for requested model.",
  "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
  "The input token count exceeds the maximum number of tokens allowed 1048576.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
  "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
  "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
  "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens",
  "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only 4096",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  "the request exceeds the available context size. try increasing the context size",
  "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
  "Requested tokens (5000) exceed context window of 4096",
  "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
  "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  "Invalid request: Your request exceeded model token limit: 8192",
  "litellm.ContextWindowExceededError: BadRequestError",
  "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens",
  "Unable to submit request because the input token count is 1251952 but model only supports up to 1048576.",
  "prompt token count of 130000 exceeds the limit of 128000",
  "Context size has been exceeded.",
];

for (const sentence of SENTENCES) {
  test(`a prompt is too long by the sentence "${sentence.slice(0, 60)}"`, () => assert.ok(says(sentence)));
}

test("a prompt is too long by the error's code or type, in any letter case, and by the status of a body", () => {
  for (const word of [
    "context_length_exceeded",
    "exceed_context_size_error",
    "ContextWindowExceededError",
    "model_max_prompt_tokens_exceeded",
  ]) {
    assert.ok(says("no", ["invalid_request_error", word]), word);
  }
  assert.ok(says("no", [], 413));
  assert.equal(saysPromptTooLong(400, { message: null, words: [] }), false);
});

test("a sentence within a message, where a client's words may be, means nothing", () => {
  for (const sentence of SENTENCES) assert.equal(says(`Invalid value: "${sentence}"`), false, sentence);
  for (const message of ["max_tokens is too large", "Invalid schema", "The input is empty", "prompts are too long"]) {
    assert.equal(says(message), false, message);
  }
});
