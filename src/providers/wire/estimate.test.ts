import assert from "node:assert/strict";
import test from "node:test";
import { countPromptCharacters, estimateUsage } from "./estimate.ts";
import { samplePrompt } from "../../../test/support/provider-samples.ts";
import { stateOf } from "../../../test/support/prompt-items.ts";

test("instructions, texts, calls and results count; state and tools do not", () => {
  const prompt = samplePrompt(
    [
      { type: "message", role: "user", text: "12345" },
      stateOf({ long: "x".repeat(99) }),
      { type: "assistant", text: "67", isRefusal: false, phase: null },
      { type: "call", callId: "c", name: "abc", arguments: "{}" },
      { type: "result", callId: "c", name: "abc", output: "8" },
    ],
    { instructions: "xyz" },
  );
  assert.equal(countPromptCharacters(prompt), 3 + 5 + 2 + 5 + 1);
});

test("an estimate adds up", () => {
  assert.deepEqual(estimateUsage({ input: 9, output: 8, reasoning: 1 }), {
    input_tokens: 3,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 3,
    output_tokens_details: { reasoning_tokens: 1 },
    total_tokens: 6,
  });
});
