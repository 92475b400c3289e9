// The counts of requests, responses and the store, with their labels.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FINISHED, fails, gate, says } from "../../support/scripted-provider.ts";
import { TEST_ENGINE } from "../../support/engine.ts";
import { testModel } from "../../support/service-config.ts";
import { type TestService, withService } from "../../support/service.ts";
import { testWhere } from "../../support/test-where.ts";
import { until } from "../../support/until.ts";
import { exerciseEverything } from "./exercise.ts";
import { parseExposition, valueOf } from "./exposition.ts";

async function read(service: TestService, name: string, labels: Readonly<Record<string, string>> = {}) {
  return valueOf(await service.metricsPage.render(), name, labels);
}

test("requests are counted by operation and status, errors by code", async () => {
  await withService({}, async (service) => {
    const { id } = (await service.create({ input: "hello" })).json;
    await service.request("GET", `/v1/responses/${id}`);
    await service.request("GET", "/v1/responses/resp_none");
    await service.create({ input: 5 });
    await service.create({}, { key: "sk_wrong" });
    await service.request("GET", "/v1/nothing/here");
    const text = await service.metricsPage.render();
    const requests = (operation: string, status: string) =>
      valueOf(text, "turngate_requests_total", { operation, status });
    const rejections = (operation: string, code: string) =>
      valueOf(text, "turngate_refusals_total", { operation, code });
    assert.equal(requests("createResponse", "200"), 1);
    assert.equal(requests("createResponse", "400"), 1);
    assert.equal(requests("createResponse", "401"), 1);
    assert.equal(requests("retrieveResponse", "200"), 1);
    assert.equal(requests("retrieveResponse", "404"), 1);
    assert.equal(requests("unknown_route", "404"), 1);
    assert.equal(rejections("createResponse", "invalid_input"), 1);
    assert.equal(rejections("createResponse", "invalid_api_key"), 1);
    assert.equal(rejections("retrieveResponse", "resource_not_found"), 1);
    assert.equal(rejections("unknown_route", "resource_not_found"), 1);
    const labels = { operation: "createResponse", stream: "false" };
    assert.equal(valueOf(text, "turngate_request_duration_seconds_count", labels), 3);
  });
});

test("a response is counted with its tokens, each once", async () => {
  await withService({}, async (service) => {
    await service.create({ input: "hello" });
    const text = await service.metricsPage.render();
    const turn = { model: "test/all", provider: "scripted", status: "completed" };
    assert.equal(valueOf(text, "turngate_turns_total", turn), 1);
    const tokens = (kind: string) => valueOf(text, "turngate_tokens_total", { model: "test/all", kind });
    assert.deepEqual(["input", "cached_input", "cache_write", "output", "reasoning"].map(tokens), [7, 2, 1, 4, 1]);
  });
});

test("credits are counted as they were charged", async () => {
  const prices = { input: 5, cached_input: 0.5, cache_write: 6.25, output: 25 };
  await withService({ models: [testModel("test/priced", { prices })] }, async (service) => {
    const balance = async () =>
      (await service.store.findOrganization({ idOrName: service.organizationId }))?.creditsNano;
    const before = (await balance()) ?? 0n;
    for (let turn = 0; turn < 3; turn++) await service.create({ input: "hello", model: "test/priced" });
    const spent = Number(before - ((await balance()) ?? 0n)) / 1e9;
    assert.ok(spent > 0);
    const text = await service.metricsPage.render();
    const charged = valueOf(text, "turngate_credits_charged_total", { model: "test/priced" });
    assert.ok(Math.abs(charged - spent) < 1e-9 * spent, `${charged} of ${spent}`);
    assert.equal(valueOf(text, "turngate_credits_shortfall_total", { model: "test/priced" }), 0);
  });
});

test("a failed response has its code; one undone because of an HTTP error is withdrawn and has no tokens", async () => {
  await withService({}, async (service) => {
    service.provider.plays([fails("provider_client_error")], [fails("provider_overloaded")]);
    await service.create({ input: "hello" });
    assert.equal((await service.create({ input: "hello" })).status, 502);
    const text = await service.metricsPage.render();
    const turns = (status: string, code: string) =>
      valueOf(text, "turngate_turns_total", { model: "test/all", provider: "scripted", status, code });
    assert.equal(turns("failed", "provider_client_error"), 1);
    assert.equal(turns("withdrawn", "provider_overloaded"), 1);
    assert.equal(parseExposition(text).get("turngate_tokens_total")?.samples.length, 0);
  });
});

test("a response's wait, first output and end are measured separately", async () => {
  await withService({ limits: { concurrent_turns: 1 } }, async (service) => {
    const first = gate();
    service.provider.plays([first.opened, FINISHED], [[{ type: "text", text: "a" }], first.opened, FINISHED]);
    const running = service.create({ input: "one" });
    await until("the first call", () => service.provider.calls.length === 1);
    const waiting = service.create({ input: "two" });
    await until("the queue", async () => (await read(service, "turngate_turns_queued")) === 1);
    // A place in the queue is taken before the response begins; the wait counts from the begin.
    const begun = { operation: "beginResponse", outcome: "ok" };
    await until("the second begin", async () => (await read(service, "turngate_store_calls_total", begun)) === 2);
    assert.equal(await read(service, "turngate_turns_running"), 1);
    assert.equal(await read(service, "turngate_turns_running_limit"), 1);
    await service.clock.advance(3000);
    first.open();
    await Promise.all([running, waiting]);
    assert.equal(await read(service, "turngate_turns_running"), 0);
    assert.equal(await read(service, "turngate_turns_queued"), 0);
    assert.equal(await read(service, "turngate_turn_queue_seconds_bucket", { le: "0.001" }), 1);
    assert.equal(await read(service, "turngate_turn_queue_seconds_sum"), 3);
    assert.equal(await read(service, "turngate_turn_duration_seconds_sum", { model: "test/all" }), 6);
    const firstOutput = { model: "test/all" };
    assert.equal(await read(service, "turngate_turn_first_output_seconds_count", firstOutput), 1);
    assert.equal(await read(service, "turngate_turn_first_output_seconds_sum", firstOutput), 3);
  });
});

test("a stream is open until it ends, and so is its request", async () => {
  await withService({}, async (service) => {
    const end = gate();
    service.provider.plays([[{ type: "text", text: "a" }], end.opened, FINISHED]);
    const streaming = service.stream({ input: "hello" });
    await until("the stream", async () => (await read(service, "turngate_open_streams")) === 1);
    const labels = { operation: "createResponse", stream: "true" };
    assert.equal(await read(service, "turngate_request_duration_seconds_count", labels), 0);
    await service.clock.advance(2000);
    end.open();
    await streaming;
    await until("its end", async () => (await read(service, "turngate_open_streams")) === 0);
    assert.equal(await read(service, "turngate_request_duration_seconds_count", labels), 1);
    assert.equal(await read(service, "turngate_request_duration_seconds_sum", labels), 2);
    assert.equal(await read(service, "turngate_requests_total", { operation: "createResponse", status: "200" }), 1);
  });
});

test("the store's calls are counted by operation", async () => {
  await withService({}, async (service) => {
    const { json: first } = await service.create({ input: "hello" });
    await service.create({ input: "go on", previous_response_id: first["id"] });
    const text = await service.metricsPage.render();
    const calls = (operation: string) => valueOf(text, "turngate_store_calls_total", { operation, outcome: "ok" });
    assert.equal(calls("beginResponse"), 2);
    assert.equal(calls("settleResponse"), 2);
    assert.equal(calls("findKey"), 2);
    assert.ok(valueOf(text, "turngate_store_call_duration_seconds_count", { side: "point" }) > 0);
    for (const side of ["read", "write"]) assert.equal(valueOf(text, "turngate_store_waiting_calls", { side }), 0);
  });
});

testWhere(
  TEST_ENGINE === "sqlite",
  "the embedded store's groups of calls are counted by side, its files measured",
  async () => {
    await withService({}, async (service) => {
      const { json: first } = await service.create({ input: "hello" });
      await service.create({ input: "go on", previous_response_id: first["id"] });
      const text = await service.metricsPage.render();
      for (const side of ["read", "write"]) {
        assert.ok(valueOf(text, "turngate_store_group_calls_count", { side }) > 0);
        assert.ok(valueOf(text, "turngate_store_group_duration_seconds_count", { side }) > 0);
        assert.equal(
          valueOf(text, "turngate_store_group_calls_sum", { side }),
          valueOf(text, "turngate_store_call_duration_seconds_count", { side }),
        );
      }
      assert.ok(valueOf(text, "turngate_store_file_bytes", { file: "database" }) > 0);
      assert.ok(valueOf(text, "turngate_store_file_bytes", { file: "journal" }) > 0);
    });
  },
);

test("a draining service reports it", async () => {
  await withService({}, async (service) => {
    assert.equal(await read(service, "turngate_draining"), 0);
    await service.gateway.drain();
    assert.equal(await read(service, "turngate_draining"), 1);
  });
});

test("no content, key or organization is in the metrics", async () => {
  const models = [testModel("test/all")];
  await withService({ models }, async (service) => {
    await exerciseEverything(service);
    service.provider.plays(says("canary-output"));
    await service.create({ input: "canary-input", metadata: { canary: "canary-label" }, model: "test/all" });
    await service.create({ input: "x", model: "canary-model" });
    await service.request("GET", "/v1/canary-path/sk_canary?canary-query=1");
    const text = await service.metricsPage.render();
    assert.doesNotMatch(text, /canary/);
    for (const secret of [service.key, service.keyId, service.organizationId]) assert.ok(!text.includes(secret));
  });
});
