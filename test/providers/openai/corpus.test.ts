import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../support/fast-check.ts";
import { createOutputBuilder } from "../../../src/core/response/output-builder.ts";
import type { OutputPart } from "../../../src/core/response/output-part.ts";
import { testCorpus } from "../../support/decoded-corpus.ts";
import { foldParts } from "../../support/provider-samples.ts";
import { countingMint } from "../../support/responses.ts";
import { CORPUS, FIXTURE_NAMES } from "./corpus.ts";
import { decodeBytes } from "./decode-bytes.ts";

test("every fixture is in the corpus", () => {
  assert.deepEqual(CORPUS.map(({ name }) => name).toSorted(), FIXTURE_NAMES.toSorted());
});

testCorpus(CORPUS, decodeBytes);

for (const { name, bytes } of CORPUS) {
  test(`${name} is accepted by the output builder`, () => {
    const builder = createOutputBuilder(countingMint(), Infinity, () => {});
    for (const part of decodeBytes([bytes]).parts) {
      if (["usage", "state", "kept", "warning", "finished"].includes(part.type)) continue;
      builder.accept(part as OutputPart);
    }
    builder.close("completed");
  });
}

test("any bytes end in a response or an upstream error", () => {
  const item = fc.record({
    type: fc.constantFrom("message", "function_call", "reasoning", "other"),
    id: fc.oneof(fc.constantFrom("m", "c"), fc.jsonValue()),
    name: fc.constantFrom("a", "", null),
    call_id: fc.constantFrom("c", "call_0", null),
    status: fc.constantFrom("completed", "incomplete"),
    arguments: fc.constantFrom("{}", "", "x", null),
    content: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ type: fc.constantFrom("output_text", "refusal"), text: fc.string(), refusal: fc.string() })),
    ),
    summary: fc.jsonValue(),
    encrypted_content: fc.constantFrom("x", null),
  });
  const event = fc.record({
    type: fc.constantFrom(
      "response.output_item.added",
      "response.output_item.done",
      "response.output_text.delta",
      "response.refusal.delta",
      "response.output_text.annotation.added",
      "response.output_text.done",
      "response.content_part.done",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.reasoning_text.delta",
      "response.reasoning_summary_text.done",
      "response.completed",
      "response.incomplete",
      "response.failed",
      "error",
    ),
    output_index: fc.oneof(fc.nat(2), fc.jsonValue()),
    content_index: fc.oneof(fc.nat(1), fc.jsonValue()),
    item_id: fc.constantFrom("m", "c", null),
    delta: fc.oneof(fc.string(), fc.jsonValue()),
    text: fc.oneof(fc.string(), fc.jsonValue()),
    arguments: fc.constantFrom("{}", '{"a":1}', null),
    part: fc.record({ type: fc.constantFrom("output_text", "refusal"), text: fc.string(), refusal: fc.string() }),
    item,
    annotation: fc.jsonValue(),
    response: fc.record({
      output: fc.oneof(fc.array(item), fc.jsonValue()),
      usage: fc.jsonValue(),
      error: fc.jsonValue(),
    }),
  });
  const line = fc.oneof(
    { weight: 8, arbitrary: event.map((value) => `data: ${JSON.stringify(value)}\n\n`) },
    fc.json().map((json) => `data: ${json}\n\n`),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      foldParts(decodeBytes([Buffer.from(lines.join(""))]).parts);
    }),
    { numRuns: 1000 },
  );
});
