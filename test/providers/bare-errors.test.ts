// A reply with status 200 that is an error, in a shape of no wire: gateways send it as a document or as the only event.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBytes as decodeAnthropic } from "./anthropic/decode-bytes.ts";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { decodeBytes as decodeGemini } from "./gemini/decode-bytes.ts";
import { decodeBytes as decodeOpenAi } from "./openai/decode-bytes.ts";

const DECODERS: Readonly<Record<string, (bytes: Buffer) => { readonly failure: { readonly code: string } | null }>> = {
  "openai-compatible": (bytes) => decodeChat([bytes]),
  openai: (bytes) => decodeOpenAi([bytes]),
  anthropic: (bytes) => decodeAnthropic([bytes]),
  gemini: (bytes) => decodeGemini([[bytes]]),
};

const ROWS: readonly (readonly [body: object, code: string])[] = [
  [{ message: "slow down", code: 429 }, "provider_rate_limited"],
  [{ message: "slow down", code: "429" }, "provider_rate_limited"],
  [{ error: { message: "slow down", code: 429 } }, "provider_rate_limited"],
  [{ error: { message: "bad", code: 400 } }, "provider_client_error"],
  [{ message: "hello", code: 0 }, "provider_error"],
  [{ error: {} }, "provider_error"],
];

for (const [family, decode] of Object.entries(DECODERS)) {
  test(`${family}: an error in place of a reply is mapped by its status`, () => {
    for (const [body, code] of ROWS) {
      const json = JSON.stringify(body);
      for (const text of [json, `data: ${json}\n\n`]) assert.equal(decode(Buffer.from(text)).failure?.code, code, text);
    }
  });
}
