/** The worst shapes of Anthropic Messages. */
import { chain, event, many, type Shapes, THOUGHT } from "./shape.ts";

const START = event({ type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } });
const STOP =
  event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }) +
  event({ type: "message_stop" });

function begin(index: number, block: unknown): string {
  return event({ type: "content_block_start", index, content_block: block });
}

function delta(index: number, value: unknown): string {
  return event({ type: "content_block_delta", index, delta: value });
}

function stop(index: number): string {
  return event({ type: "content_block_stop", index });
}

function tool(index: number): unknown {
  return { type: "tool_use", id: `toolu_${index}`, name: "f", input: {} };
}

export const ANTHROPIC_SHAPES: Shapes = {
  "claude-calls": () =>
    chain(
      START,
      many((index) => begin(index, tool(index)) + delta(index, { partial_json: "{}" }) + stop(index), 9_000),
      STOP,
    ),
  "claude-endless-calls": () =>
    chain(
      START,
      many((index) => begin(index, tool(index)) + stop(index)),
    ),
  "claude-open-calls": () =>
    chain(
      START,
      many((index) => begin(index, tool(index)), 9_000),
      STOP,
    ),
  "claude-letters-of-arguments": () =>
    chain(
      START,
      begin(0, tool(0)),
      many(() => delta(0, { partial_json: "a" })),
      stop(0),
      STOP,
    ),
  "claude-stops": () =>
    chain(
      START,
      begin(0, tool(0)),
      delta(0, { partial_json: `{"a":"${"a".repeat(900_000)}}` }),
      many(() => stop(0), 400_000),
      STOP,
    ),
  "claude-letters-of-text": () =>
    chain(
      START,
      begin(0, { type: "text" }),
      many(() => delta(0, { text: "a" })),
      STOP,
    ),
  "claude-endless-reasoning": () =>
    chain(
      START,
      begin(0, { type: "thinking" }),
      many(() => delta(0, { thinking: THOUGHT })),
    ),
  "claude-letters-of-thinking": () =>
    chain(
      START,
      begin(0, { type: "thinking" }),
      many(() => delta(0, { thinking: "a" })),
      stop(0),
      STOP,
    ),
  "claude-letters-of-signature": () =>
    chain(
      START,
      begin(0, { type: "thinking" }),
      many(() => delta(0, { signature: "a" })),
      stop(0),
      STOP,
    ),
  "claude-thoughts": () =>
    chain(
      START,
      many((index) => begin(index, { type: "thinking", thinking: "a", signature: "b" }) + stop(index)),
      STOP,
    ),
  "claude-texts": () =>
    chain(
      START,
      many((index) => begin(index, { type: "text", text: "a" }) + stop(index)),
      STOP,
    ),
  "claude-thoughts-and-texts": () =>
    chain(
      START,
      many((index) =>
        index % 2 === 0
          ? begin(index, { type: "thinking", thinking: "a", signature: "b" }) + stop(index)
          : begin(index, { type: "text", text: "a" }) + stop(index),
      ),
      STOP,
    ),
  "claude-pings": () => many(() => event({ type: "ping" })),
};
