// A response of more items or parts than any model makes is rejected, whatever they are: what is kept of each is counted in none of the
// limits of an output. docs/reliability.md, F-25, A-3
import assert from "node:assert/strict";
import { test } from "node:test";
import { BLOCKS_MAX } from "../../src/providers/wire/bounds.ts";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeGemini } from "./gemini/decode-bytes.ts";
import { decodeBytes as decodeOpenAi } from "./openai/decode-bytes.ts";

type Decode = (pieces: Iterable<Uint8Array>) => { readonly failure: { code: string; message: string } | null };

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

const FAMILIES: Readonly<
  Record<string, { decode: Decode; head: string; foreign: (at: number) => unknown; end: string }>
> = {
  openai: {
    decode: decodeOpenAi,
    head: "",
    foreign: (at) => ({ type: "response.output_item.done", output_index: at, item: { type: "web_search_call" } }),
    end: event({ type: "response.completed", response: { status: "completed", output: [] } }),
  },
  gemini: {
    decode: (pieces) => decodeGemini([pieces]),
    head: "",
    foreign: () => ({ candidates: [{ content: { parts: [{ executableCode: {} }] } }] }),
    end: event({ candidates: [{ content: { parts: [] }, finishReason: "STOP" }] }),
  },
  anthropic: {
    decode: decodeAnthropic,
    head: event({ type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } }),
    foreign: (index) => ({ type: "content_block_start", index, content_block: { type: "server_tool_use" } }),
    end: event({ type: "message_delta", delta: { stop_reason: "end_turn" } }) + event({ type: "message_stop" }),
  },
};

for (const [family, { decode, head, foreign, end }] of Object.entries(FAMILIES)) {
  test(`${family}: items that the service ignores are counted`, () => {
    const reply = (count: number) => {
      const events = Array.from({ length: count }, (_, at) => event(foreign(at)));
      return decode([Buffer.from(head + events.join("") + end)]);
    };
    assert.equal(reply(BLOCKS_MAX).failure, null);
    const { failure } = reply(BLOCKS_MAX + 1);
    assert.equal(failure?.code, "provider_error");
    assert.match(failure?.message ?? "", /too many items/);
  });
}
