import assert from "node:assert/strict";
import { test } from "node:test";
import { type Ending, endingOfWord } from "./finish-words.ts";

test("a finish reason is read in any case, and an unknown one is never a whole answer", () => {
  const rows: [Ending, string[]][] = [
    ["ended", ["stop", "STOP", " stop", "end_turn", "eos", "tool_calls", "TOOL_USE", "COMPLETE", "function_call"]],
    ["cut", ["length", "LENGTH", "max_tokens", "MAX_TOKENS", "model_length"]],
    ["cut", ["model_context_window_exceeded", "context_window_exceeded"]],
    [
      "filtered",
      ["content_filter", "SAFETY", "sensitive", "content_filter: SAFETY", "content_filter:x", "refusal", "MODEL_ARMOR"],
    ],
    ["broken", ["MALFORMED_FUNCTION_CALL", "function_call_filter: MALFORMED_FUNCTION_CALL", "stop: broken", "length:"]],
    ["broken", ["OTHER", "unheard_of", "constructor", "", ":", "stopped early"]],
  ];
  for (const [ending, words] of rows) for (const word of words) assert.equal(endingOfWord(word), ending, word);
});
