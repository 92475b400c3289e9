// The pattern of each family's most frequent event, compared with JSON.parse.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { readPlainDelta as readMessagesDelta } from "../anthropic/plain-delta.ts";
import { readPlainChunk as readGeminiChunk } from "../gemini/plain-chunk.ts";
import { readPlainDelta as readResponsesDelta } from "../openai/plain-delta.ts";
import { readPlainChunk as readChatChunk } from "../openai-compatible/plain-chunk.ts";

interface Wire {
  readonly name: string;
  /** An event with a text, as the provider writes it. */
  frame(text: string): object;
  /** The parts of an event that are used: the text, and its position or counts. */
  expected(frame: never): unknown;
  /** The same parts by the pattern; null when it does not match. */
  read(data: string): unknown;
}

const wires: readonly Wire[] = [
  {
    name: "anthropic",
    frame: (text) => ({ type: "content_block_delta", index: 10, delta: { type: "text_delta", text } }),
    expected: ({ index, delta }: { index: number; delta: { text: string } }) => ({ index, text: delta.text }),
    read: readMessagesDelta,
  },
  {
    name: "gemini",
    frame: (text) => ({
      candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0 }],
      usageMetadata: {
        promptTokenCount: 3,
        totalTokenCount: 12,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 3 }, { modality: "IMAGE" }],
        serviceTier: "standard",
      },
      modelVersion: "gemini-3.8-flash",
      responseId: "resp-1",
    }),
    expected: ({ candidates, usageMetadata }: { candidates: never; usageMetadata: unknown }) => {
      const [{ content }] = candidates as [{ content: { parts: [{ text: string }] } }];
      return { text: content.parts[0].text, usage: usageMetadata };
    },
    read: (data) => {
      const plain = readGeminiChunk(data);
      return plain === null ? null : { text: plain.text, usage: JSON.parse(plain.usage) as unknown };
    },
  },
  {
    name: "openai",
    frame: (delta) => ({
      type: "response.output_text.delta",
      sequence_number: 4,
      item_id: "msg_0",
      output_index: 2,
      content_index: 1,
      delta,
      logprobs: [],
      obfuscation: "xxxxxxxxxxx",
    }),
    expected: (event: { item_id: string; output_index: number; content_index: number; delta: string }) => ({
      place: { item_id: event.item_id, output_index: event.output_index, content_index: event.content_index },
      text: event.delta,
    }),
    read: (data) => {
      const plain = readResponsesDelta(data);
      return plain === null ? null : { ...plain, place: JSON.parse(`{${plain.place.slice(1)}}`) as unknown };
    },
  },
  ...[
    // Ollama, vLLM, llama.cpp.
    (content: string) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_763_700_000,
      model: "qwen3:8b",
      system_fingerprint: "fp_ollama",
      choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }],
    }),
    (content: string) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_763_700_000,
      model: "Qwen/Qwen3-8B",
      choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
      usage: null,
    }),
    (content: string) => ({
      choices: [{ finish_reason: null, index: 0, delta: { content } }],
      created: 1_763_700_000,
      id: "chatcmpl-1",
      model: "gpt-3.5-turbo",
      system_fingerprint: "b6000-1",
      object: "chat.completion.chunk",
    }),
  ].map(
    (frame, index): Wire => ({
      name: `openai-compatible ${index + 1}`,
      frame,
      expected: ({ choices }: { choices: readonly [{ delta: { content: string } }] }) => choices[0].delta.content,
      read: readChatChunk,
    }),
  ),
];

/** As some servers write it: a space after colons and commas. */
const spaced = (json: string) => json.replace(/([:,])(?=["{[\dn])/g, "$1 ");

for (const { name, frame, expected, read } of wires) {
  const expectedOf = (data: string) => expected(JSON.parse(data) as never);

  test(`${name}: an event matched by its pattern gives the values of its JSON`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
        const data = JSON.stringify(frame(text));
        assert.deepEqual(read(data), expectedOf(data));
      }),
    );
    const data = spaced(JSON.stringify(frame("Hi")));
    assert.deepEqual(read(data), expectedOf(data));
  });

  test(`${name}: a changed event that still matches is JSON with the same values`, () => {
    const data = spaced(JSON.stringify(frame('a "word"\n')));
    const inserts = [
      "",
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "0",
      "1",
      "-",
      " ",
      "\n",
      "\0",
      "u00e9",
      ',"error":1',
    ];
    const edit = fc.record({
      at: fc.nat(data.length - 1),
      remove: fc.nat(3),
      insert: fc.constantFrom(...inserts),
    });
    fc.assert(
      fc.property(edit, ({ at, remove, insert }) => {
        const changed = data.slice(0, at) + insert + data.slice(at + remove);
        const plain = read(changed);
        if (plain !== null) assert.deepEqual(plain, expectedOf(changed));
      }),
      { numRuns: 3000 },
    );
  });

  test(`${name}: a text of many escapes costs no more than parsing it, whether it matches or not`, () => {
    const whole = JSON.stringify(frame('\\"'.repeat(15_000)));
    assert.deepEqual(read(whole), expectedOf(whole));
    assert.equal(read(whole.slice(0, -1)), null);
    // The regular expression engine has no room for so many escapes: the text is parsed.
    assert.equal(read(JSON.stringify(frame('\\"'.repeat(4_000_000)))), null);
  });
}
