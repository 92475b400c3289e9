import assert from "node:assert/strict";
import test from "node:test";
import { readPlainChunk } from "./plain-chunk.ts";

const choice = (more: object = {}, delta: object = { content: "Hi" }) => ({ index: 0, delta, ...more });
const chunk = (choices: readonly object[], more: object = {}) => ({
  id: "c",
  object: "chat.completion.chunk",
  choices,
  ...more,
});

test("a chunk with more than text is not a plain one", () => {
  assert.equal(readPlainChunk(JSON.stringify(chunk([choice({ finish_reason: null })]))), "Hi");
  const others = [
    chunk([choice({ finish_reason: "stop" })]),
    chunk([choice({ index: 1 })]),
    chunk([choice(), choice({ index: 1 })]),
    chunk([]),
    chunk([choice({ usage: { prompt_tokens: 1 } })]),
    chunk([choice()], { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
    chunk([choice()], { error: { message: "no" } }),
    chunk([choice()], { object: "error" }),
    ...["reasoning_content", "reasoning", "refusal", "tool_calls", "function_call"].map((key) =>
      chunk([choice({}, { content: "Hi", [key]: "x" })]),
    ),
    chunk([choice({}, { content: null })]),
    chunk([choice({}, { content: ["Hi"] })]),
  ];
  for (const other of others) assert.equal(readPlainChunk(JSON.stringify(other)), null);
});
