// The numbers of a client's schema keep their digits on every wire. @spec resources/tool
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseExactly } from "../../src/base/exact-json.ts";
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import type { Prompt } from "../../src/core/response/prompt.ts";
import { encode as encodeAnthropic } from "../../src/providers/anthropic/encode.ts";
import { encode as encodeGemini } from "../../src/providers/gemini/encode.ts";
import { encode as encodeOpenAi } from "../../src/providers/openai/encode.ts";
import { encode as encodeChat } from "../../src/providers/openai-compatible/encode.ts";
import { createArguments, createInstance } from "../../src/providers/simulated/instance.ts";
import { jsonSchemas } from "../../src/system/json-schemas.ts";
import { sampleModel, samplePrompt, sampleTool } from "../support/provider-samples.ts";

const NUMBERS = ["9223372036854775807", "1.0", "1e400", "0.1000000000000000055", "-0"];

/** A schema with that number in every numeric keyword, in places where wires rewrite schemas. */
const schemaOf = (number: string) =>
  parseExactly(
    `{"type":"object","properties":{"a":{"type":"number","maximum":${number},"enum":[${number},"x"]},` +
      `"b":{"const":${number}},"c":{"anyOf":[{"minimum":${number}},{"multipleOf":${number}}]}},"required":["a","b"]}`,
  ) as Readonly<Record<string, unknown>>;

const WIRES: Readonly<Record<string, (model: CatalogModel, prompt: Prompt) => object>> = {
  anthropic: (model, prompt) => encodeAnthropic(model, prompt).request,
  gemini: (model, prompt) => encodeGemini(model, prompt).request,
  openai: (model, prompt) => encodeOpenAi(model, prompt, "key").request,
  "openai-compatible": (model, prompt) => encodeChat(model, prompt).request,
};

for (const [name, encode] of Object.entries(WIRES)) {
  describe(name, () => {
    for (const number of NUMBERS) {
      test(`${number} keeps its digits in parameters and in a format`, () => {
        const schema = schemaOf(number);
        const times = (text: string) => text.split(number).length - 1;
        for (const strict of [null, true]) {
          const tool = { ...sampleTool("f", schema), strict };
          const sent = JSON.stringify(encode(sampleModel(), samplePrompt("Hi", { tools: [tool] })));
          assert.equal(times(sent), 5, sent);
        }
        const format = { type: "json_schema", name: "n", schema } as const;
        const sent = JSON.stringify(encode(sampleModel(), samplePrompt("Hi", { format })));
        assert.equal(times(sent), 5, sent);
      });
    }

    test("numbers in the arguments of a call keep their digits", () => {
      const call = { type: "call", callId: "c", name: "f", arguments: '{"x":1.0,"y":9223372036854775807}' } as const;
      const result = { type: "result", callId: "c", name: "f", output: "ok" } as const;
      const user = { type: "message", role: "user", text: "Hi" } as const;
      const sent = JSON.stringify(encode(sampleModel(), samplePrompt([user, call, result])));
      assert.match(sent.replaceAll("\\", ""), /"x":1\.0,"y":9223372036854775807/);
    });
  });
}

test("a simulated model keeps such bounds, and returns constants with their digits", () => {
  const schema = parseExactly('{"type":"integer","minimum":9007199254740993.0,"maximum":1e400}');
  assert.equal(createInstance(schema), 9007199254740992);
  assert.equal(JSON.stringify(createInstance(parseExactly('{"const":1.0}'))), "1.0");
  assert.deepEqual(createArguments(parseExactly('{"const":1.0}') as never), {});
});

test("output is checked against such bounds as doubles", () => {
  const schema = parseExactly('{"type":"number","minimum":1.0,"maximum":1e400,"multipleOf":0.50}') as never;
  assert.equal(jsonSchemas.accepts(schema, "1"), true);
  assert.equal(jsonSchemas.accepts(schema, "0.5"), false);
  assert.equal(jsonSchemas.accepts(parseExactly('{"const":1.0}') as never, "1"), true);
  assert.equal(jsonSchemas.accepts(parseExactly('{"const":1.0}') as never, "2"), false);
});
