// JSON that is deeper or has more values than any response: a provider_error, never a fault of the service.
// docs/reliability.md, A-12
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeArguments } from "../../src/providers/wire/arguments.ts";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { decodeBytes as decodeGemini } from "./gemini/decode-bytes.ts";
import { decodeBytes as decodeOpenAi } from "./openai/decode-bytes.ts";

const DEPTH = 100_000;
/** With a number that a double cannot hold: it is parsed in another way. */
const deep = (number = "12345678901234567890") => '{"a":'.repeat(DEPTH) + number + "}".repeat(DEPTH);
const event = (json: string) => `data: ${json}\n\n`;

const REPLIES: readonly [string, string, (bytes: Buffer) => { readonly failure: { code: string } | null }][] = [];
const add = (family: string, decode: (typeof REPLIES)[number][2], ...texts: string[]) => {
  for (const text of texts) (REPLIES as (typeof REPLIES)[number][]).push([family, text, decode]);
};
add(
  "chat",
  (bytes) => decodeChat([bytes]),
  event(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":${deep()}}}]}}]}`),
  event(`{"choices":[],"usage":${deep()}}`),
  event(`{"error":${deep("1")}}`),
  `{"choices":[{"message":{"content":"a","x":${deep()}}}]}`,
);
add(
  "gemini",
  (bytes) => decodeGemini([[bytes]]),
  event(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${deep()}}}]}}]}`),
  event(`{"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":"s","x":${deep("1")}}]}}]}`),
  event(`{"usageMetadata":${deep()}}`),
  `[{"candidates":[{"x":${deep()}}]}]`,
);
add(
  "anthropic",
  (bytes) => decodeAnthropic([bytes]),
  event('{"type":"message_start","message":{}}') +
    event(
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":${deep()}}}`,
    ),
  event(`{"type":"message_start","message":{"usage":${deep("1")}}}`),
);
add(
  "openai",
  (bytes) => decodeOpenAi([bytes]),
  event(
    `{"type":"response.output_item.done","item":{"type":"reasoning","summary":[${deep()}],"encrypted_content":"e"}}`,
  ),
  event(`{"type":"response.completed","response":{"usage":${deep("1")}}}`),
);

for (const [at, [family, text, decode]] of REPLIES.entries()) {
  test(`${family}: JSON ${DEPTH} levels deep is a provider_error (${at}: ${text.slice(0, 40)}…)`, () => {
    assert.equal(decode(Buffer.from(text)).failure?.code, "provider_error");
  });
}

test("arguments that a model sent as text, however deep, can be sent back as an object", () => {
  for (const text of [deep(), deep("1")]) {
    const encoded = encodeArguments(text);
    assert.deepEqual(Object.keys(encoded), ["arguments"]);
    assert.equal(encoded.arguments, text);
    assert.doesNotThrow(() => JSON.stringify(encoded));
  }
});
