// The warning for an answer that breaks its json_schema, and what is no answer. docs/wire.md (Invalid structured output)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { type Act, calls, FINISHED } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

const SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const FORMAT = { text: { format: { type: "json_schema", name: "answer", schema: SCHEMA } } };
const TOOLS = { tools: [{ type: "function", name: "look_up" }] };

const says = (text: string): Act => [{ type: "text", text }];
const [CALL] = calls({ callId: "a" }) as readonly [Act];
const CUT: Act = [{ type: "finished", incompleteReason: "max_output_tokens" }];

/** The codes of the response's warnings. */
async function warningsOf(acts: readonly Act[], body: object = FORMAT): Promise<readonly string[]> {
  service.provider.plays([...acts]);
  const { status, json, text } = await service.create({ input: "Hi", ...TOOLS, ...body });
  assert.equal(status, 200, text);
  return (json["svc:warnings"] ?? []).map(({ code }: Loose) => code);
}

for (const [name, acts] of [
  ["an answer that satisfies it", [says('{"a":1}'), FINISHED]],
  ["one that comes in pieces", [says('{"a"'), says(":1}"), FINISHED]],
  ["a refusal", [[{ type: "refusal", text: "No." }], FINISHED]],
  ["a refusal after text", [says("I "), [{ type: "refusal", text: "No." }], FINISHED]],
  ["a call", [says("Let me look."), CALL, FINISHED]],
  ["an answer that was cut short", [says('{"a":'), CUT]],
  ["no text at all", [FINISHED]],
  [
    "a commentary before the answer",
    [
      [{ type: "message_started", phase: "commentary" }],
      says("Let me think."),
      [{ type: "message_started", phase: "final_answer" }],
      says('{"a":1}'),
      FINISHED,
    ],
  ],
] as const) {
  test(`${name} causes no warning`, async () => assert.deepEqual(await warningsOf(acts), []));
}

for (const [name, text] of [
  ["no JSON", "I think it is 1."],
  ["JSON of another shape", '{"a":"1"}'],
  ["an empty text beside JSON", '{"a":1} '.repeat(2)],
] as const) {
  test(`${name} is returned unchanged, with the warning`, async () => {
    assert.deepEqual(await warningsOf([says(text), FINISHED]), ["output_not_valid"]);
    assert.deepEqual(await warningsOf([says(text), FINISHED], { text: { format: { type: "text" } } }), []);
  });
}

test("the warning names the field", async () => {
  service.provider.plays([says("no"), FINISHED]);
  const { json } = await service.create({ input: "Hi", ...FORMAT });
  assert.deepEqual(
    json["svc:warnings"].map(({ param }: Loose) => param),
    ["text"],
  );
  assert.equal(json.output[0].content[0].text, "no");
});
