// The cost of a response grows linearly with its length, whatever it consists of. docs/reliability.md, A-3
import assert from "node:assert/strict";
import { test } from "node:test";
import { COST_RATIO_MAX, costRatio } from "../support/cost.ts";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { decodeBytes as decodeGemini } from "./gemini/decode-bytes.ts";
import { decodeBytes as decodeOpenAi } from "./openai/decode-bytes.ts";
import { chain, event, many } from "./response-events.ts";

type Decode = (pieces: Iterable<Uint8Array>) => unknown;

const DECODERS = {
  chat: decodeChat,
  anthropic: decodeAnthropic,
  openai: decodeOpenAi,
  gemini: (pieces: Iterable<Uint8Array>) => decodeGemini([pieces]),
} satisfies Record<string, Decode>;

interface Shape {
  readonly family: keyof typeof DECODERS;
  readonly what: string;
  /** Large enough that the shorter response takes a few milliseconds. */
  readonly size: number;
  /** Its events, repeated that often. */
  response(size: number): Iterable<string>;
}

/** A delta of a chat completion. */
function chat(delta: unknown): unknown {
  return { choices: [{ index: 0, delta }] };
}

function call(index: number | null, id: string | null, name: string | null, args: string): unknown {
  const key = index === null ? {} : { index };
  return chat({ tool_calls: [{ ...key, id, function: { name, arguments: args } }] });
}

const CHAT_END = `${event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`;
const MESSAGE_START = event({ type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } });
const MESSAGE_STOP = event({ type: "message_stop" });

const SHAPES: readonly Shape[] = [
  {
    family: "chat",
    what: "whole calls",
    size: 1_000,
    response: (size) =>
      chain(
        many(size, (n) => call(n, `c${n}`, "f", "{}")),
        CHAT_END,
      ),
  },
  {
    family: "chat",
    what: "calls that stay open, in turn",
    size: 1_000,
    response: (size) =>
      chain(
        many(size, (n) => call(n, `c${n}`, "f", '{"a":')),
        many(size, (n) => call(n, null, null, " ")),
        CHAT_END,
      ),
  },
  {
    family: "chat",
    what: "calls without an index",
    size: 1_000,
    response: (size) =>
      chain(
        many(size, (n) => call(null, `c${n}`, "f", '{"a":1')),
        CHAT_END,
      ),
  },
  {
    family: "chat",
    what: "arguments letter by letter",
    size: 4_000,
    response: (size) =>
      chain(
        event(call(0, "c", "f", '{"a":"')),
        many(size, () => call(0, null, null, "a")),
        CHAT_END,
      ),
  },
  {
    family: "chat",
    what: "beginnings of objects within a text of the arguments",
    size: 2_000,
    response: (size) =>
      chain(
        event(call(0, "c", "f", '{"a":"')),
        many(size, () => call(0, null, null, `{${"x".repeat(50)}}`)),
        CHAT_END,
      ),
  },
  {
    family: "chat",
    what: "arguments that begin again behind whole ones",
    size: 1_000,
    response: (size) =>
      chain(
        event(call(0, "c", "f", `{"a":"${"a".repeat(size * 20)}"}`)),
        many(size, () => call(0, null, null, "{")),
        CHAT_END,
      ),
  },
  {
    family: "anthropic",
    what: "the end of a call's block, said again and again",
    size: 1_000,
    response: (size) =>
      chain(
        MESSAGE_START,
        event({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "f" } }),
        event({ type: "content_block_delta", index: 0, delta: { partial_json: `{"a":"${"a".repeat(size * 50)}}` } }),
        many(size, () => ({ type: "content_block_stop", index: 0 })),
        MESSAGE_STOP,
      ),
  },
  {
    family: "openai",
    what: "calls that stay open",
    size: 1_000,
    response: (size) =>
      chain(
        many(size, (n) => ({
          type: "response.output_item.added",
          output_index: n,
          item: { type: "function_call", call_id: `c${n}`, name: "f" },
        })),
        event({ type: "response.completed", response: { output: [] } }),
      ),
  },
  {
    family: "gemini",
    what: "calls",
    size: 1_000,
    response: (size) =>
      chain(
        many(size, () => ({ candidates: [{ content: { parts: [{ functionCall: { name: "f", args: {} } }] } }] })),
        event({ candidates: [{ content: { parts: [] }, finishReason: "STOP" }] }),
      ),
  },
  {
    family: "chat",
    what: "blanks before the answer",
    size: 100_000,
    response: (size) => chain(cutEvery(" ".repeat(size), 500), event(chat({ content: "a" })), CHAT_END),
  },
];

function* cutEvery(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

for (const { family, what, size, response } of SHAPES) {
  test(`${family}: the cost of ${what} is linear`, () => {
    const ratio = costRatio(size, (count) =>
      DECODERS[family](Array.from(response(count), (text) => Buffer.from(text))),
    );
    assert.ok(ratio < COST_RATIO_MAX, `eight times as many took ${ratio.toFixed(1)} times as long`);
  });
}
