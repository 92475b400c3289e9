// U+0000 in whatever a provider sends: it cannot be stored, and does not fail the turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { foldParts } from "../support/provider-samples.ts";
import type { ProviderPart } from "../../src/ports/provider.ts";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { decodeBytes as decodeGemini } from "./gemini/decode-bytes.ts";
import { decodeBytes as decodeOpenAi } from "./openai/decode-bytes.ts";

type Decoded = { readonly parts: readonly ProviderPart[]; readonly failure: Error | null };

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const openAiItem = (index: number, item: object) =>
  event({ type: "response.output_item.done", output_index: index, item });

/** A reply of each family with U+0000 in its text, reasoning, signature, call_id, tool name and arguments. */
const REPLIES: Readonly<Record<string, { readonly decode: (bytes: Buffer) => Decoded; readonly text: string }>> = {
  chat: {
    decode: (bytes) => decodeChat([bytes]),
    text:
      event({ choices: [{ index: 0, delta: { reasoning_content: "t\0" } }] }) +
      event({ choices: [{ index: 0, delta: { content: "a\0" } }] }) +
      event({
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: "c\0", function: { name: "f\0", arguments: '{"a":"\0"}' } }] },
            finish_reason: "tool_calls",
          },
        ],
      }),
  },
  gemini: {
    decode: (bytes) => decodeGemini([[bytes]]),
    text: event({
      responseId: "r\0",
      candidates: [
        {
          content: {
            parts: [
              { text: "t\0", thought: true, thoughtSignature: "s\0" },
              { text: "a\0" },
              { functionCall: { id: "c\0", name: "f\0", args: { a: "\ufffd" } } },
            ],
          },
          finishReason: "STOP",
        },
      ],
    }),
  },
  anthropic: {
    decode: (bytes) => decodeAnthropic([bytes]),
    text:
      event({ type: "message_start", message: {} }) +
      [
        { type: "thinking", thinking: "t\0", signature: "s\0" },
        { type: "text", text: "a\0" },
        { type: "tool_use", id: "c\0", name: "f\0", input: { a: "\ufffd" } },
      ]
        .map((block, index) =>
          [
            event({ type: "content_block_start", index, content_block: block }),
            event({ type: "content_block_stop", index }),
          ].join(""),
        )
        .join("") +
      event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } }) +
      event({ type: "message_stop" }),
  },
  openai: {
    decode: (bytes) => decodeOpenAi([bytes]),
    text:
      openAiItem(0, {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "t\0" }],
        encrypted_content: "s\0",
      }) +
      openAiItem(1, {
        type: "message",
        content: [
          {
            type: "output_text",
            text: "a\0",
            annotations: [{ type: "url_citation", url: "https://x\0", title: "\0", start_index: 0, end_index: 1 }],
          },
        ],
      }) +
      openAiItem(2, { type: "function_call", call_id: "c\0", name: "f\0", arguments: '{"a":"\0"}' }) +
      event({ type: "response.completed", response: { output: [] } }),
  },
};

for (const [family, { decode, text }] of Object.entries(REPLIES)) {
  test(`${family}: U+0000 becomes U+FFFD everywhere, with one warning`, () => {
    const { parts, failure } = decode(Buffer.from(text));
    assert.equal(failure, null);
    const shown = parts.filter(({ type }) => type !== "state" && type !== "usage");
    assert.equal(JSON.stringify(shown).includes("\\u0000"), false);
    const folded = foldParts(parts);
    assert.deepEqual([folded.text, folded.reasoning], ["a\ufffd", ["t\ufffd"]]);
    // An id that cannot be stored is replaced as a whole.
    assert.deepEqual(
      folded.calls.map(({ callId, name, arguments: sent }) => [callId, name, sent]),
      [["minted_1", "f\ufffd", '{"a":"\ufffd"}']],
    );
    assert.deepEqual(
      folded.warnings.filter((code) => code === "output_repaired"),
      ["output_repaired"],
    );
  });
}
