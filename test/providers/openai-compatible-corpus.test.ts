import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";
import fc from "../support/fast-check.ts";
import { testCorpus } from "../support/decoded-corpus.ts";
import { foldParts } from "../support/provider-samples.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { REASONING_FIELDS } from "../../src/providers/openai-compatible/round-state.ts";
import { CORPUS } from "./corpus.ts";
import { decodeBytes } from "./decode-bytes.ts";

testCorpus(CORPUS, decodeBytes);

test("any bytes end in a response or an upstream error", () => {
  const line = fc.oneof(
    fc.json().map((json) => `data: ${json}\n\n`),
    fc.constantFrom("data: [DONE]\n\n", "event: error\n", ": comment\n", "data:", "\n"),
    fc
      .record({
        choices: fc.array(
          fc.record({
            delta: fc.dictionary(fc.constantFrom("content", "tool_calls", "refusal", "reasoning"), fc.jsonValue()),
            finish_reason: fc.jsonValue(),
          }),
        ),
        usage: fc.jsonValue(),
      })
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          line.map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 8 }),
        ),
        { maxLength: 12 },
      ),
      (pieces) => {
        let decoded: ReturnType<typeof decodeBytes>;
        try {
          decoded = decodeBytes(pieces);
        } catch (error) {
          // The transport turns these two into failures.
          assert.match((error as Error).name, /^(NotUtf8Error|TooLongError)$/);
          return;
        }
        foldParts(decoded.parts);
      },
    ),
    { numRuns: 500 },
  );
});

test("reasoning that is not sent back is not kept, what the server needs back is", () => {
  for (const { name, bytes, folded } of CORPUS) {
    if (folded.state === null) continue;
    const needed = Object.entries(folded.state as JsonObject).filter(
      ([field]) => !REASONING_FIELDS.includes(field as (typeof REASONING_FIELDS)[number]),
    );
    const state = needed.length === 0 ? null : Object.fromEntries(needed);
    assert.deepEqual(foldParts(decodeBytes([bytes], false).parts), { ...folded, state }, name);
  }
});

test("the table and the folder have the same streams", () => {
  const files = readdirSync(new URL("fixtures/", import.meta.url)).map((file) => file.replace(/\.sse$/, ""));
  assert.deepEqual(files.sort(), CORPUS.map(({ name }) => name).sort());
});
