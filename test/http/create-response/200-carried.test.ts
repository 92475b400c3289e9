// POST /v1/responses: which response model and max_output_tokens are carried from. docs/wire.md (Carried settings)
import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { output, TOOLS } from "./tool-loop.ts";

const service = await serviceForFile();

/** A conversation whose last response ran beside another one, whose call waits. */
async function concurrentResponses() {
  const conversation = (await service.request("POST", "/v1/conversations")).json.id;
  const { opened, open } = gate();
  service.provider.plays([opened, ...says("last")], calls({ callId: "a" }));
  const asked = service.provider.calls.length;
  const running = service.create({ conversation, input: "Last", model: "test/group-c", max_output_tokens: 50 });
  await until("the call", () => service.provider.calls.length > asked);
  const body = { conversation, input: "Look", tools: TOOLS, model: "test/group-a", max_output_tokens: 70 };
  const waiting = (await service.create(body)).json;
  open();
  return { conversation, last: (await running).json, waiting };
}

const carried = ({ model, max_output_tokens: most }: { model: string; max_output_tokens: number }) => [model, most];

test("a user turn carries from the response that is named, or the last one of the conversation, whatever waits", async () => {
  for (const route of ["previous_response_id", "conversation"] as const) {
    const { conversation, last, waiting } = await concurrentResponses();
    const named = route === "conversation" ? { conversation } : { previous_response_id: last.id };
    const drop = { ...named, model: undefined, input: "On", "svc:unanswered_calls": "drop" };
    const next = await service.create(drop);
    assert.equal(next.status, 200, next.text);
    assert.deepEqual(carried(next.json), ["test/group-c", 50], route);
    const branch = {
      previous_response_id: waiting.id,
      model: undefined,
      input: "Else",
      "svc:unanswered_calls": "drop",
    };
    assert.deepEqual(carried((await service.create(branch)).json), ["test/group-a", 70]);
  }
});

test("tool outputs carry from the response whose calls they answer", async () => {
  for (const route of ["conversation", "previous_response_id"] as const) {
    const { conversation, waiting } = await concurrentResponses();
    const named = route === "conversation" ? { conversation } : { previous_response_id: waiting.id };
    const next = await service.create({ ...named, model: undefined, input: [output("a")] });
    assert.equal(next.status, 200, next.text);
    assert.deepEqual(carried(next.json), ["test/group-a", 70]);
  }
});
