// Responses that wait for memory for their outputs, and the one that holds it. docs/decisions/outputs.md
// docs/reliability.md, A-9
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { TEST_MODELS, testModel } from "../../support/service-config.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const LARGE = testModel("test/large", {
  contextWindow: 40_000_000,
  maxOutputTokens: 9_000_000,
  defaultOutputTokens: 9_000_000,
});
const service = await serviceForFile({
  models: [...TEST_MODELS, LARGE],
  limits: { outputs_in_hand_bytes: 1024 * 1024 },
});

const output = (characters: number) => [{ type: "text" as const, text: "x".repeat(characters) }];
const create = (key?: string) => service.create({ model: "test/large", input: "Hi" }, key === undefined ? {} : { key });

for (const isStreamed of [false, true]) {
  test(`a turn without memory for its output ends when its provider is silent and its client has gone; ${isStreamed ? "" : "not "}streamed`, async () => {
    const { opened } = gate();
    const asked = service.provider.calls.length;
    service.provider.plays([output(1_000_000), opened, FINISHED]);
    const body = JSON.stringify({ model: "test/large", input: "Hi", stream: isStreamed });
    const headers = { authorization: `Bearer ${service.key}` };
    const sent = httpRequest(`${service.baseUrl}/v1/responses`, { method: "POST", headers, agent: false });
    sent.on("error", () => {}).end(body);
    await until("the room to be full", () => service.gateway.outputs.held() > 1024 * 1024);
    sent.destroy();

    service.provider.plays([output(1_000_000), FINISHED]);
    const waiting = create();
    await until("the provider to be asked", () => service.provider.calls.length === asked + 2);
    // Another organization is not held up.
    const { organizationId } = await service.newOrganization();
    const { secret } = await service.newKey(organizationId);
    service.provider.plays([output(40_000), FINISHED]);
    assert.equal((await create(secret)).json.status, "completed");

    const [id] = service.gateway.runs.all().map(({ head }) => head.id);
    await service.clock.advance(10_000);
    await service.clock.advance(10_000);
    assert.equal((await waiting).json.status, "completed");
    const { json } = await service.request("GET", `/v1/responses/${id}`);
    assert.deepEqual([json.status, json.error.code], ["failed", "run_failed"]);
    assert.match(json.error.message, /sent nothing while other turns waited/);
    assert.equal(json.output[0].content[0].text.length, 1_000_000);
    await until("the room to be free", () => service.gateway.outputs.held() === 0);
  });
}
