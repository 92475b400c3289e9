// What a decoder keeps besides the output that it has emitted is reported, so that it counts in the limits of an output.
// docs/decisions/outputs.md; docs/reliability.md, A-12
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeptPart, ProviderPart } from "../../src/ports/provider.ts";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { decodeBytes as decodeGemini } from "./gemini/decode-bytes.ts";
import { decodeBytes as decodeOpenAi } from "./openai/decode-bytes.ts";

type Decode = (pieces: Iterable<Uint8Array>) => { readonly parts: readonly ProviderPart[] };

const event = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
const chat = (delta: object) => event({ choices: [{ index: 0, delta }] });
const gemini = (...parts: object[]) => event({ candidates: [{ content: { parts } }] });
const decoders = {
  chat: decodeChat,
  anthropic: decodeAnthropic,
  openai: decodeOpenAi,
  gemini: (pieces: Iterable<Uint8Array>) => decodeGemini([pieces]),
} satisfies Record<string, Decode>;

const LONG = "x".repeat(50_000);
const start = (block: object) => [
  event({ type: "message_start", message: {} }),
  event({ type: "content_block_start", index: 0, content_block: block }),
];
const delta = (fields: object) => event({ type: "content_block_delta", index: 0, delta: fields });

const keptBy = (decode: Decode, pieces: readonly Buffer[]): readonly KeptPart[] =>
  decode(pieces).parts.flatMap((part) => (part.type === "kept" ? [part] : []));

/** Eight pieces of 50,000 characters, of which none is output yet. */
const GROWING: readonly [keyof typeof decoders, string, readonly Buffer[], "waitingBytes" | "stateBytes"][] = [
  ["chat", "reasoning", eight(() => chat({ reasoning_content: LONG })), "waitingBytes"],
  [
    "chat",
    "arguments of a call without a name",
    eight(() => chat({ tool_calls: [{ index: 0, function: { arguments: LONG } }] })),
    "waitingBytes",
  ],
  [
    "chat",
    "citations before the text",
    eight((at) =>
      chat({ annotations: [{ type: "url_citation", url: LONG, title: "x", start_index: at, end_index: at }] }),
    ),
    "waitingBytes",
  ],
  [
    "anthropic",
    "thinking",
    [...start({ type: "thinking" }), ...eight(() => delta({ thinking: LONG }))],
    "waitingBytes",
  ],
  [
    "anthropic",
    "signatures",
    [...start({ type: "thinking" }), ...eight(() => delta({ signature: LONG }))],
    "stateBytes",
  ],
  ["gemini", "thoughts", eight(() => gemini({ text: LONG, thought: true })), "waitingBytes"],
  ["gemini", "signatures", eight(() => gemini({ text: "", thoughtSignature: LONG })), "stateBytes"],
  ["gemini", "parts of other kinds", eight(() => gemini({ executableCode: { code: LONG } })), "stateBytes"],
  [
    "openai",
    "encrypted reasoning",
    eight((at) =>
      event({
        type: "response.output_item.done",
        output_index: at,
        item: { type: "reasoning", summary: [], encrypted_content: LONG },
      }),
    ),
    "stateBytes",
  ],
];

function eight(make: (index: number) => Buffer): Buffer[] {
  return Array.from({ length: 8 }, (_, index) => make(index));
}

for (const [family, what, pieces, field] of GROWING) {
  test(`${family}: ${what} count while they are kept`, () => {
    const last = keptBy(decoders[family], pieces).at(-1)?.[field] ?? 0;
    assert.ok(last >= 7 * LONG.length && last < 9 * LONG.length, `${last} bytes`);
  });
}

test("an image of Gemini is not kept: it is not in the interface, and counts towards no limit", () => {
  const pieces = eight(() => gemini({ inlineData: { mimeType: "image/png", data: LONG } }));
  assert.deepEqual(keptBy(decoders["gemini"], pieces), []);
});

test("reasoning counts from its first character, unless it is output at once, and no longer once it is output", () => {
  const both = Buffer.concat([chat({ reasoning_content: "Hm." }), chat({ content: "a" })]);
  assert.deepEqual(keptBy(decodeChat, [both]), []);
  const waiting = keptBy(decodeChat, [chat({ reasoning_content: "H" }), chat({ reasoning_content: "m." })]);
  assert.deepEqual(
    waiting.map(({ waitingCharacters, waitingReasoning }) => [waitingCharacters, waitingReasoning]),
    [
      [1, 1],
      [3, 3],
    ],
  );
  const pieces = eight(() => chat({ reasoning_content: LONG }));
  const { parts } = decodeChat([...pieces, chat({ content: "a" })]);
  const reasoningAt = parts.findIndex(({ type }) => type === "reasoning");
  const before = parts[reasoningAt - 1];
  assert.equal(before?.type === "kept" ? before.waitingBytes : null, 0, "it would count twice");
});

test("the beginning of a line counts for every family", () => {
  for (const decode of Object.values(decoders)) {
    const pieces = [Buffer.from(`: hi\n\ndata: {"a":"`), ...eight(() => Buffer.from(LONG))];
    const kept = keptBy(decode, pieces).at(-1);
    assert.ok((kept?.bufferedBytes ?? 0) >= 7 * LONG.length);
  }
});

test("empty items are counted in every family", () => {
  const many = (make: (index: number) => unknown) => Array.from({ length: 10_001 }, (_, index) => event(make(index)));
  const rows: [Decode, Buffer[]][] = [
    [decodeChat, many((index) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index }] } }] }))],
    [
      decodeOpenAi,
      many((index) => ({ type: "response.output_text.delta", output_index: 0, content_index: index, delta: "a" })),
    ],
    [
      decodeOpenAi,
      many((index) => ({ type: "response.output_item.added", output_index: index, item: { type: "message" } })),
    ],
    [
      decodeAnthropic,
      [
        event({ type: "message_start", message: {} }),
        ...many((index) => ({ type: "content_block_start", index, content_block: { type: "text" } })),
      ],
    ],
  ];
  for (const [decode, pieces] of rows) {
    const { failure } = decode(pieces) as ReturnType<typeof decodeChat>;
    assert.match(failure?.message ?? "", /too many items/);
  }
});
