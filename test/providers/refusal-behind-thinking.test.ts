// A refusal that ends a response belongs to the message of its text, also if the model thought in between.
// @spec resources/content-parts
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderPart } from "../../src/ports/provider.ts";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { decodeBytes as decodeGemini } from "./gemini/decode-bytes.ts";

type Ending = "refused" | "ended";
/** What a model emits, a piece an entry. */
type Output = readonly ("text" | "thought" | "call")[];

const event = (value: object) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

const WIRES = {
  anthropic(output: Output, ending: Ending) {
    const blocks = output.flatMap((kind, index) => {
      const [block, delta] = {
        text: [{ type: "text", text: "" }, { text: "t" }],
        thought: [{ type: "thinking", thinking: "" }, { thinking: "h" }],
        call: [{ type: "tool_use", id: `c${index}`, name: "f", input: {} }, { partial_json: "{}" }],
      }[kind];
      return [
        event({ type: "content_block_start", index, content_block: block }),
        event({ type: "content_block_delta", index, delta }),
        event({ type: "content_block_stop", index }),
      ];
    });
    const end = { type: "message_delta", delta: { stop_reason: ending === "refused" ? "refusal" : "end_turn" } };
    const pieces = [
      event({ type: "message_start", message: {} }),
      ...blocks,
      event(end),
      event({ type: "message_stop" }),
    ];
    return decodeAnthropic(pieces);
  },
  gemini(output: Output, ending: Ending) {
    const chunks = output.map((kind) => {
      const part = {
        text: { text: "t" },
        thought: { text: "h", thought: true },
        call: { functionCall: { name: "f", args: {} } },
      }[kind];
      return event({ candidates: [{ content: { parts: [part] } }] });
    });
    return decodeGemini([
      [...chunks, event({ candidates: [{ finishReason: ending === "refused" ? "SAFETY" : "STOP" }] })],
    ]);
  },
  chat(output: Output, ending: Ending) {
    const deltas = output.map((kind, index) => {
      const delta = {
        text: { content: "t" },
        thought: { reasoning_content: "h" },
        call: { tool_calls: [{ index, id: `c${index}`, function: { name: "f", arguments: "{}" } }] },
      }[kind];
      return event({ choices: [{ index: 0, delta }] });
    });
    const end = { choices: [{ index: 0, delta: {}, finish_reason: ending === "refused" ? "content_filter" : "stop" }] };
    return decodeChat([...deltas, event(end), Buffer.from("data: [DONE]\n\n")]);
  },
} satisfies Record<string, (output: Output, ending: Ending) => { readonly parts: readonly ProviderPart[] }>;

/** The parts that become items, in order; the pieces of a text are one. */
function itemsOf(parts: readonly ProviderPart[]): string[] {
  const kinds = parts.flatMap(({ type }) =>
    type === "text" || type === "refusal" || type === "reasoning" || type === "call_started" ? [type] : [],
  );
  return kinds.filter((kind, at) => kind !== "text" || kinds[at - 1] !== "text");
}

const THOUGHT = ["text", "thought"] as const;

for (const [name, decode] of Object.entries(WIRES)) {
  for (const [output, items] of [
    [THOUGHT, ["text", "refusal", "reasoning"]],
    [
      ["thought", ...THOUGHT],
      ["reasoning", "text", "refusal", "reasoning"],
    ],
    [["thought"], ["reasoning", "refusal"]],
    [
      ["text", "call", "thought"],
      ["text", "call_started", "reasoning", "refusal"],
    ],
    [
      ["call", ...THOUGHT],
      ["call_started", "text", "refusal", "reasoning"],
    ],
  ] as const) {
    test(`${name}: ${output.join(", ")}, then a refusal`, () => {
      const { parts, failure } = decode(output, "refused");
      assert.equal(failure, null);
      assert.deepEqual(itemsOf(parts), items);
    });
  }

  test(`${name}: thoughts behind text come before a call, and at the end without a refusal`, () => {
    assert.deepEqual(itemsOf(decode([...THOUGHT, "call"], "ended").parts), ["text", "reasoning", "call_started"]);
    assert.deepEqual(itemsOf(decode(THOUGHT, "ended").parts), ["text", "reasoning"]);
  });
}
