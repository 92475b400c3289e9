// The limit of one response's output. docs/decisions/outputs.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { FINISHED } from "../../support/scripted-provider.ts";
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
