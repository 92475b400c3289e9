// The limit of one response's output. docs/decisions/outputs.md; docs/reliability.md, A-12
import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING_KEPT } from "../../../src/ports/provider.ts";
import { FINISHED, says } from "../../support/scripted-provider.ts";
import { TEST_MODELS, testModel } from "../../support/service-config.ts";
import { serviceForFile } from "../../support/service.ts";

const LARGE = testModel("test/large", {
  contextWindow: 40_000_000,
  maxOutputTokens: 9_000_000,
  defaultOutputTokens: 9_000_000,
});
const service = await serviceForFile({ models: [...TEST_MODELS, LARGE] });

const create = () => service.request("POST", "/v1/responses", { body: { model: "test/large", input: "hi" } });

test("an output of more than 16 MiB ends incomplete, with the output before that", async () => {
  const text = "x".repeat(1024 * 1024);
  service.provider.plays([...Array.from({ length: 17 }, () => [{ type: "text" as const, text }]), FINISHED]);
  const { status, json } = await create();
  assert.equal(status, 200);
  assert.equal(json.status, "incomplete");
  assert.deepEqual(json.incomplete_details, { reason: "max_output_tokens" });
  assert.equal(json.output[0].content[0].text.length, 16 * 1024 * 1024);
});

test("bytes are counted, not characters: control characters take six bytes each", async () => {
  const text = "\u0001".repeat(1024 * 1024);
  service.provider.plays([[{ type: "text", text }], [{ type: "text", text }], [{ type: "text", text }], FINISHED]);
  const { json } = await create();
  assert.equal(json.status, "incomplete");
  assert.equal(json.output[0].content[0].text.length, 2 * text.length);
});

test("an output of more pieces than any model emits fails, with the output before them", async () => {
  const calls = Array.from({ length: 6_000 }, (_, index) => [
    { type: "call_started" as const, index, callId: `call_${index}`, name: "f" },
    { type: "call_finished" as const, index },
  ]);
  service.provider.plays([calls.flat(), FINISHED]);
  const { status, json } = await create();
  assert.equal(status, 200);
  assert.equal(json.status, "failed");
  assert.equal(json.error.code, "provider_error");
  assert.equal(json.output.length, 5_000);
});

test("reasoning that waits for its end counts with the output: beyond 16 MiB the response ends incomplete", async () => {
  const waiting = (bytes: number) => ({ ...NOTHING_KEPT, waitingBytes: bytes, waitingCharacters: bytes });
  const text = { type: "text" as const, text: "a" };
  service.provider.plays([[text], [waiting(16 * 1024 * 1024 - 1)], FINISHED]);
  assert.equal((await create()).json.status, "completed");
  service.provider.plays([[text], [waiting(16 * 1024 * 1024)], [text], FINISHED]);
  const { json } = await create();
  assert.deepEqual([json.status, json.incomplete_details.reason], ["incomplete", "max_output_tokens"]);
  assert.equal(json.output[0].content[0].text, "a");
  // What arrived is counted, at four characters a token.
  assert.equal(json.usage.output_tokens, 4 * 1024 * 1024 + 1);
});

test("a round state of more than 1 MiB ends the response incomplete, also while it grows, and is not stored", async () => {
  const call = [
    { type: "call_started" as const, index: 0, callId: "call_s", name: "f" },
    { type: "call_finished" as const, index: 0 },
  ];
  const state = (bytes: number) => ({ type: "state" as const, state: "x".repeat(bytes - 2) });
  const rows = [
    [[state(1024 * 1024), ...FINISHED], "completed", true],
    [[state(1024 * 1024 + 1), ...FINISHED], "incomplete", false],
    [[{ ...NOTHING_KEPT, stateBytes: 1024 * 1024 + 1 }], "incomplete", false],
  ] as const;
  for (const [last, status, isStored] of rows) {
    service.provider.plays([call, last], says("ok"));
    const tools = [{ type: "function", name: "f" }];
    const { json } = await service.create({ model: "test/large", input: "hi", tools });
    assert.equal(json.status, status);
    const answer = { type: "function_call_output", call_id: "call_s", output: "1" };
    const next = await service.create({ model: "test/large", previous_response_id: json.id, input: [answer] });
    assert.equal(next.json.status, "completed", next.text);
    assert.equal(
      service.provider.calls.at(-1)?.prompt.items.some(({ type }) => type === "state"),
      isStored,
    );
  }
});

test("a response shows the first hundred of its provider's warnings", async () => {
  const warnings = Array.from({ length: 150 }, (_, index) => ({
    type: "warning" as const,
    code: `number_${index}`,
    message: "a warning",
    param: null,
  }));
  service.provider.plays([warnings, FINISHED]);
  const { json } = await create();
  assert.equal(json.status, "completed");
  assert.deepEqual(
    json["svc:warnings"].map(({ code }: { code: string }) => code),
    warnings.slice(0, 100).map(({ code }) => code),
  );
});
