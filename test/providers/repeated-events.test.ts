// An event costs what it says, not what came before it. docs/reliability.md, A-3
import assert from "node:assert/strict";
import { test } from "node:test";
import { COST_RATIO_MAX } from "../support/cost.ts";
import { workRatio } from "../support/counted-work.ts";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeOpenAi } from "./openai/decode-bytes.ts";
import { chain, event, many } from "./response-events.ts";

/** Enough of each that a quadratic step shows beside the linear ones. */
const SIZE = 500;

/** Two events, again and again. */
function* pairs(count: number, one: unknown, other: unknown): Generator<string> {
  for (let index = 0; index < count; index++) yield event(one) + event(other);
}

function anthropic(response: Iterable<string>): void {
  const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } };
  const start = { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } };
  const all = chain(event(start), response, event(end), event({ type: "message_stop" }));
  assert.equal(decodeAnthropic(bytes(all)).failure, null);
}

function openai(response: Iterable<string>): void {
  const all = chain(response, event({ type: "response.completed", response: { output: [] } }));
  assert.equal(decodeOpenAi(bytes(all)).failure, null);
}

function* bytes(texts: Iterable<string>): Generator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const textDelta = (index: number, delta: string) => ({
  type: "response.output_text.delta",
  output_index: 0,
  content_index: index,
  delta,
});
const messageDone = (content: unknown) => ({
  type: "response.output_item.done",
  output_index: 0,
  item: { type: "message", content },
});
const callAdded = (name: string) => ({
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "function_call", name, call_id: "c" },
});
const callOf = (type: string, index: number, text: string) => ({
  type,
  output_index: index,
  item: { type: "function_call", id: "f", name: "f", arguments: text },
});
const callOpen = (item: object) => ({
  type: "response.output_item.done",
  output_index: 0,
  item: { type: "function_call", status: "incomplete", ...item },
});
const argumentsDelta = (delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index: 0,
  delta,
});
const thoughtDelta = { type: "response.reasoning_text.delta", output_index: 0, item_id: "r", delta: "a".repeat(50) };

const REPEATED: Readonly<Record<string, (size: number) => void>> = {
  "anthropic: thinking that stops behind text that grows": (size) =>
    anthropic(
      chain(
        event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        event({ type: "content_block_start", index: 1, content_block: { type: "thinking", thinking: "?" } }),
        pairs(
          size,
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a".repeat(50) } },
          { type: "content_block_stop", index: 1 },
        ),
      ),
    ),
  "openai: the end of a message of many parts": (size) =>
    openai(
      chain(
        many(size, (index) => textDelta(index, "a")),
        many(size, () => messageDone([])),
      ),
    ),
  "openai: the end of a blank message": (size) =>
    openai(
      chain(
        event(textDelta(0, " ".repeat(50 * size))),
        many(size, () => messageDone([])),
      ),
    ),
  "openai: a call that stays open, without arguments": (size) =>
    openai(chain(event(callAdded("f")), pairs(size, argumentsDelta("a".repeat(50)), callOpen({})))),
  "openai: a call that stays open, with other arguments": (size) =>
    openai(
      chain(
        event(callAdded("f")),
        pairs(size, argumentsDelta("a".repeat(50)), callOpen({ call_id: "c", arguments: "ab" })),
      ),
    ),
  "openai: calls that share an id": (size) =>
    openai(
      chain(
        many(size, (index) => callOf("response.output_item.added", index, "")),
        many(size, (index) => callOf("response.output_item.done", index, `{"n":${index}}`)),
      ),
    ),
  "openai: a thought that grows between calls": (size) =>
    openai(
      pairs(size, thoughtDelta, {
        type: "response.output_item.added",
        output_index: 1,
        item: { type: "function_call", name: "f" },
      }),
    ),
};

for (const [what, decode] of Object.entries(REPEATED)) {
  test(`${what}: its work is linear`, () => {
    const ratio = workRatio(SIZE, decode);
    assert.ok(ratio < COST_RATIO_MAX, `eight times as many took ${ratio.toFixed(1)} times the work`);
  });
}
