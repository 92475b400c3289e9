// The usage of a response that ends before its provider's final report.
// @spec states-and-transitions (billed for what was produced)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { type Act, fails, FINISHED, gate, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

const REPORT: Act = [{ type: "usage", usage: { ...USAGE, input_tokens: 40, output_tokens: 5, total_tokens: 45 } }];
const text = (characters: number): readonly ProviderPart[] => [{ type: "text", text: "x".repeat(characters) }];

/** Cancels a response after these acts; its usage. */
async function cancelledAfter(...acts: readonly Act[]) {
  const { opened } = gate();
  service.provider.plays([...acts, text(1), opened]);
  const stream = await LiveStream.open(service, { input: "12345678" });
  const deltas = acts.filter((act) => Array.isArray(act) && act.some(({ type }) => type === "text")).length;
  const isDelta = ({ event }: { event: string }) => event === "response.output_text.delta";
  await until("the text", () => stream.events.filter(isDelta).length > deltas);
  const { json } = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
  assert.equal(json.status, "cancelled");
  await stream.closed;
  const retrieved = await service.request("GET", `/v1/responses/${stream.id}`);
  assert.deepEqual(retrieved.json.usage, json.usage);
  return tokens(json.usage);
}

function tokens({ input_tokens, output_tokens, total_tokens }: typeof USAGE) {
  return [input_tokens, output_tokens, total_tokens];
}

describe("a cancelled response", () => {
  test("without a report counts what was sent and produced, at four characters a token", async () => {
    assert.deepEqual(await cancelledAfter(text(399)), [2, 100, 102]);
  });
  test("counts what came after its provider's last report too", async () => {
    assert.deepEqual(await cancelledAfter(REPORT, text(399)), [40, 100, 140]);
  });
  test("counts no less than its provider reported", async () => {
    assert.deepEqual(await cancelledAfter(text(3), REPORT), [40, 5, 45]);
  });
});

test("a failed response counts likewise, a completed one as its provider reported", async () => {
  service.provider.plays([REPORT, text(400), fails("provider_error")], [text(400), REPORT, FINISHED.slice(1)]);
  const failed = await service.create({ input: "12345678" });
  assert.deepEqual([failed.json.status, ...tokens(failed.json.usage)], ["failed", 40, 100, 140]);
  const completed = await service.create({ input: "12345678" });
  assert.deepEqual([completed.json.status, ...tokens(completed.json.usage)], ["completed", 40, 5, 45]);
});
