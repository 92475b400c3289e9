// What responses say arrives at a real collector if the operator wants it, and only then.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ContentExportConfig } from "../../../src/config/content-export.ts";
import { fails, says } from "../../support/scripted-provider.ts";
import type { ServiceSettings } from "../../support/service-config.ts";
import { TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { valueOf } from "../metrics/exposition.ts";
import { type Collector, startCollector } from "./collector.ts";

function settingsOf({ url }: Collector, more: Partial<ContentExportConfig>): ServiceSettings {
  const headers = { authorization: "Basic dGVzdA==" };
  return {
    contentExport: { url, headers, organizations: "all", turnBytes: 65_536, waitingBytes: 16_777_216, ...more },
  };
}

async function start(t: TestContext, collector: Collector, more: Partial<ContentExportConfig> = {}) {
  const service = await TestService.start(settingsOf(collector, more));
  t.after(() => service.close());
  return service;
}

/** Sends what waits. */
async function flush(service: TestService): Promise<void> {
  await service.clock.advance(1000);
}

test("a stored response arrives with what it was sent and what it said", async (t) => {
  const collector = await startCollector(t);
  const service = await start(t, collector);
  service.provider.plays(says("Hello Ada."), says("Ada."));
  const first = (await service.create({ input: "My name is Ada.", instructions: "Be brief." })).json;
  const { id } = (await service.create({ input: "What is my name?", previous_response_id: first["id"] })).json;
  await flush(service);
  await until("both spans", () => collector.spans.length === 2);
  const [, second] = collector.spans;
  assert.ok(second !== undefined);
  const { attributes } = second;
  assert.deepEqual([second.name, second.kind, second.status.code], ["chat test/all", 3, 0]);
  assert.match(second.traceId, /^[0-9a-f]{32}$/);
  assert.match(second.spanId, /^[0-9a-f]{16}$/);
  assert.equal(Number(BigInt(second.startTimeUnixNano) / 1_000_000n), service.clock.nowMs() - 1000);
  const read = (name: string) => JSON.parse(String(attributes[name])) as unknown;
  assert.deepEqual(read("gen_ai.input.messages"), [
    { role: "user", parts: [{ type: "text", content: "My name is Ada." }] },
    { role: "assistant", parts: [{ type: "text", content: "Hello Ada." }] },
    { role: "user", parts: [{ type: "text", content: "What is my name?" }] },
  ]);
  assert.deepEqual(read("gen_ai.output.messages"), [
    { role: "assistant", parts: [{ type: "text", content: "Ada." }], finish_reason: "stop" },
  ]);
  assert.deepEqual(JSON.parse(String(collector.spans[0]?.attributes["gen_ai.system_instructions"])), [
    { type: "text", content: "Be brief." },
  ]);
  assert.equal(attributes["turngate.response.id"], id);
  assert.equal(attributes["turngate.organization.id"], service.organizationId);
  assert.equal(attributes["gen_ai.request.previous_response.id"], first["id"]);
  assert.equal(attributes["gen_ai.usage.output_tokens"], 5);
  assert.deepEqual(attributes["gen_ai.response.finish_reasons"], ["stop"]);
  const [request] = collector.requests;
  assert.equal(request?.path, "/v1/traces");
  assert.equal(request?.headers.authorization, "Basic dGVzdA==");
  const sent = async () => valueOf(await service.metricsPage.render(), "turngate_content_export_sent_turns_total");
  await until("their count", async () => (await sent()) === 2);
});

test("metadata, end users, keys and withdrawn responses are not exported, and nothing of it is logged", async (t) => {
  const collector = await startCollector(t);
  const service = await start(t, collector);
  service.provider.plays([fails("provider_overloaded")], says("said"));
  assert.equal((await service.create({ input: "withdrawn-input" })).status, 502);
  await service.create({ input: "canary-input", metadata: { label: "hidden-label" }, user: "hidden-user" });
  await flush(service);
  await until("the span", () => collector.spans.length === 1);
  const sent = JSON.stringify(collector.requests);
  assert.match(sent, /canary-input/);
  assert.doesNotMatch(sent, /hidden|withdrawn-input/);
  assert.ok(!sent.includes(service.key));
  assert.doesNotMatch(JSON.stringify(service.logged), /canary|dGVzdA/);
});

test("of organizations that are not named nothing arrives, and without the section nothing at all", async (t) => {
  const collector = await startCollector(t);
  const named = await start(t, collector, { organizations: ["org_2"] });
  assert.notEqual(named.organizationId, "org_2");
  const off = await TestService.start();
  t.after(() => off.close());
  await off.create({ input: "canary-off" });
  await off.clock.advance(60_000);
  await named.create({ input: "canary-unnamed" });
  await flush(named);
  assert.equal(collector.requests.length, 0);
});

test("a silent collector holds no response, and what cannot wait is dropped and counted", async (t) => {
  const collector = await startCollector(t, { isSilent: true });
  const service = await TestService.start(settingsOf(collector, { waitingBytes: 100_000 }));
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await service.create({ input: "x".repeat(30_000) })).status, 200);
    await flush(service);
  }
  await until("a request", () => collector.requests.length === 1);
  assert.equal(valueOf(await service.metricsPage.render(), "turngate_content_export_lost_turns_total"), 2);
  let isStopped = false;
  const stopping = service.close().then(() => (isStopped = true));
  await until("the limit of the stop", async () => {
    await service.clock.advance(1000);
    return isStopped;
  });
  await stopping;
});
