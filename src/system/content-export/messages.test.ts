import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutputItem } from "../../contract/items.ts";
import type { PromptItem } from "../../core/response/prompt.ts";
import { writeMessages } from "./messages.ts";
import { CUT_MARK } from "./text-budget.ts";
import { stateOf } from "../../../test/support/prompt-items.ts";

const user = (text: string): PromptItem => ({ type: "message", role: "user", text });
const said = (text: string): OutputItem => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

function write(
  items: readonly PromptItem[],
  output: readonly OutputItem[],
  bytesMax = 65_536,
  instructions: string | null = null,
) {
  const response = { prompt: { instructions, items }, output } as unknown as Parameters<typeof writeMessages>[0];
  return writeMessages(response, "stop", bytesMax);
}

test("every kind of entry and output has its place in the conventions; opaque states have none", () => {
  const written = write(
    [
      { type: "message", role: "developer", text: "rules" },
      user("Weather in Paris?"),
      { type: "assistant", text: "Let me look.", isRefusal: false, phase: "commentary" },
      stateOf({ encrypted: "secret" }),
      { type: "call", callId: "call_1", name: "get_weather", arguments: '{"city":"Paris"}' },
      { type: "result", callId: "call_1", name: "get_weather", output: "sunny" },
      { type: "assistant", text: "No.", isRefusal: true, phase: null },
    ],
    [
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "It is sunny." }],
        encrypted_content: "secret",
      },
      said("Sunny."),
      { type: "function_call", id: "fc_1", call_id: "call_2", name: "wave", arguments: "{}", status: "completed" },
      { ...said(""), content: [{ type: "refusal", refusal: "I stop here." }] } as OutputItem,
    ],
    65_536,
    "Be brief.",
  );
  assert.deepEqual(written, {
    instructions: [{ type: "text", content: "Be brief." }],
    input: [
      { role: "system", parts: [{ type: "text", content: "rules" }] },
      { role: "user", parts: [{ type: "text", content: "Weather in Paris?" }] },
      { role: "assistant", parts: [{ type: "text", content: "Let me look." }] },
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "call_1", name: "get_weather", arguments: '{"city":"Paris"}' }],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "sunny" }] },
      { role: "assistant", parts: [{ type: "refusal", content: "No." }] },
    ],
    output: [
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "It is sunny." },
          { type: "text", content: "Sunny." },
          { type: "tool_call", id: "call_2", name: "wave", arguments: "{}" },
          { type: "refusal", content: "I stop here." },
        ],
        finish_reason: "stop",
      },
    ],
    omitted: 0,
    isCut: false,
  });
});

test("of a long history the newest part is kept, and the number of entries left out is said", () => {
  const written = write(
    Array.from({ length: 100 }, (_, at) => user(`${at}`.padEnd(100, "x"))),
    [said("short")],
    2048,
  );
  assert.equal(written.isCut, true);
  assert.equal(written.omitted + written.input.length, 100);
  assert.ok(written.input.length > 5 && written.input.length < 20);
  assert.match(JSON.stringify(written.input.at(-1)), /99x/);
  assert.ok(JSON.stringify(written).length < 2 * 2048);
});

test("a text that does not fit is cut between characters, with a mark", () => {
  const written = write([user("é".repeat(5000))], [said("😀".repeat(5000))], 1024);
  const [text, answer] = [written.input[0]?.parts[0], written.output[0]?.parts[0]];
  assert.ok(text?.type === "text" && answer?.type === "text");
  assert.match(text.content, /^é+…/);
  assert.match(answer.content, /^😀+/u);
  for (const { content } of [text, answer]) {
    assert.ok(content.endsWith(CUT_MARK) && content.isWellFormed());
    assert.ok(Buffer.byteLength(content) <= 1024);
  }
});

test("any number of empty entries and a text of any length take no more than the budget", () => {
  const empty = write(
    Array.from({ length: 10_000 }, () => user("")),
    [],
    1024,
  );
  assert.ok(empty.input.length <= 16);
  const huge = "x".repeat(50_000_000);
  const began = performance.now();
  write([user(huge)], [said(huge)], 1024, huge);
  assert.ok(performance.now() - began < 1000);
});
