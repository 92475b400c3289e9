import assert from "node:assert/strict";
import test from "node:test";
import { readPlainChunk } from "./plain-chunk.ts";

const plain = (more: object = {}, usage: object = { promptTokenCount: 3, candidatesTokenCount: 1 }) => ({
  candidates: [{ content: { parts: [{ text: "Hi" }], role: "model" }, index: 0, ...more }],
  usageMetadata: usage,
  modelVersion: "gemini-3.8-flash",
  responseId: "resp-1",
});
const withParts = (...parts: readonly object[]) => ({
  ...plain(),
  candidates: [{ content: { parts, role: "model" }, index: 0 }],
});

test("a chunk with more than text and counts is not a plain one", () => {
  assert.notEqual(readPlainChunk(JSON.stringify(plain())), null);
  const others = [
    plain({ finishReason: "STOP" }),
    plain({ index: 1 }),
    plain({ continuationToken: "t" }),
    plain({}, {}),
    plain({}, { promptTokenCount: -1 }),
    plain({}, { promptTokenCount: 12_345_678_901 }),
    { ...plain(), error: { code: 500 } },
    { ...plain(), promptFeedback: {} },
    { ...plain(), candidates: [] },
    withParts({ text: "Hi", thought: true }),
    withParts({ text: "Hi", thoughtSignature: "s" }),
    withParts({ text: "a" }, { text: "b" }),
  ];
  for (const other of others) assert.equal(readPlainChunk(JSON.stringify(other)), null);
});
