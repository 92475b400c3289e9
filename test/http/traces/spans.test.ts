// The spans that an operator's SDK receives: one per request, one per response's provider calls, their parents, and no
// content.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ServiceLimits } from "../../../src/contract/limits.ts";
import type { Telemetry } from "../../../src/ports/telemetry.ts";
import { withTraces } from "../../../src/system/traces.ts";
import { FINISHED, fails, gate, says } from "../../support/scripted-provider.ts";
import { TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { type Sdk, startSdk } from "./sdk.ts";

const CREATE = "POST /v1/responses";
const CHAT = "chat test/all";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER_SPAN_ID = "b7ad6b7169203331";

async function start(t: TestContext, limits: Partial<ServiceLimits> = {}): Promise<{ sdk: Sdk; service: TestService }> {
  const sdk = startSdk();
  const service = await TestService.start({
    hasPlainModels: true,
    limits,
    wrapTelemetry: (telemetry) => withTraces(telemetry, (name) => (name === "scripted" ? "gcp.gemini" : name)),
  });
  t.after(async () => {
    await service.close();
    sdk.stop();
  });
  return { sdk, service };
}

test("without an SDK telemetry is unchanged", async () => {
  const telemetry = { requestStarted: null } as unknown as Telemetry;
  assert.equal(await withTraces(telemetry, (name) => name), telemetry);
});

test("a request has a server span by the HTTP conventions", async (t) => {
  const { sdk, service } = await start(t);
  const { id } = (await service.create({ input: "hello" })).json;
  const { kind, attributes, status, parentSpanContext } = await sdk.span(CREATE);
  assert.equal(kind, SpanKind.SERVER);
  assert.equal(parentSpanContext, undefined);
  assert.equal(status.code, SpanStatusCode.UNSET);
  assert.deepEqual(attributes, {
    "http.request.method": "POST",
    "http.route": "/v1/responses",
    "http.response.status_code": 200,
    "url.path": "/v1/responses",
    "url.scheme": "http",
    "turngate.operation": "createResponse",
    "turngate.response.id": id,
    "turngate.stream": false,
  });
});

test("a span has the route, not the path; an unknown path has neither", async (t) => {
  const { sdk, service } = await start(t);
  await service.request("GET", "/v1/responses/resp_canary");
  await service.request("GET", "/v1/canary");
  const known = await sdk.span("GET /v1/responses/:response_id");
  assert.equal(known.attributes["url.path"], "/v1/responses/:response_id");
  assert.equal(known.attributes["http.response.status_code"], 404);
  assert.equal(known.attributes["turngate.error.code"], "resource_not_found");
  assert.equal(known.status.code, SpanStatusCode.UNSET, "what a client did wrong is no error of the server's");
  const unknown = await sdk.span("GET");
  assert.equal(unknown.attributes["url.path"], undefined);
});

test("a provider call has a client span by the GenAI conventions, a child of the request's", async (t) => {
  const { sdk, service } = await start(t);
  const first = (await service.create({ input: "hello" })).json;
  await service.create({ input: "more", previous_response_id: first.id, temperature: 0.5, max_output_tokens: 50 });
  const request = await sdk.span(CREATE);
  const call = await sdk.span(CHAT);
  assert.equal(call.kind, SpanKind.CLIENT);
  assert.equal(call.spanContext().traceId, request.spanContext().traceId);
  assert.equal(call.parentSpanContext?.spanId, request.spanContext().spanId);
  const { "gen_ai.response.time_to_first_chunk": firstChunk, ...attributes } = call.attributes;
  assert.ok(typeof firstChunk === "number" && firstChunk >= 0);
  assert.deepEqual(attributes, {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "gcp.gemini",
    "gen_ai.request.max_tokens": 2000,
    "gen_ai.request.model": "test/all",
    "gen_ai.request.stream": true,
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.usage.cache_read.input_tokens": 2,
    "gen_ai.usage.cache_write.input_tokens": 1,
    "gen_ai.usage.output_tokens": 5,
    "gen_ai.usage.reasoning.output_tokens": 1,
    "turngate.model": "test/all",
    "turngate.response.id": first.id,
    "turngate.response.status": "completed",
  });
  const [, second] = sdk.ended().filter(({ name }) => name === CHAT);
  assert.equal(second?.attributes["gen_ai.request.previous_response.id"], first.id);
  assert.equal(second?.attributes["gen_ai.request.temperature"], 0.5);
  assert.equal(second?.attributes["gen_ai.request.max_tokens"], 50);
});

test("a request continues its caller's trace", async (t) => {
  const { sdk, service } = await start(t);
  const headers = { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-01` };
  await service.create({ input: "hello" }, { headers });
  const request = await sdk.span(CREATE);
  assert.equal(request.spanContext().traceId, TRACE_ID);
  assert.equal(request.parentSpanContext?.spanId, CALLER_SPAN_ID);
  assert.equal((await sdk.span(CHAT)).spanContext().traceId, TRACE_ID);
});

test("concurrent requests keep separate traces, also while they wait for a slot", async (t) => {
  const { sdk, service } = await start(t, { concurrent_turns: 3 });
  await Promise.all(Array.from({ length: 40 }, () => service.create({ input: "hello" })));
  const requests = sdk.ended().filter(({ name }) => name === CREATE);
  assert.equal(requests.length, 40);
  for (const request of requests) {
    const calls = sdk
      .ended()
      .filter(({ parentSpanContext: parent }) => parent?.spanId === request.spanContext().spanId);
    assert.deepEqual(
      calls.map(({ attributes }) => attributes["turngate.response.id"]),
      [request.attributes["turngate.response.id"]],
    );
  }
});

test("a stream's span ends with the stream", async (t) => {
  const { sdk, service } = await start(t);
  const rest = gate();
  service.provider.plays([[{ type: "text", text: "a" }], rest.opened, FINISHED]);
  const streaming = service.stream({ input: "hello" });
  await until("the call", () => service.provider.calls.length === 1);
  assert.equal(sdk.ended().length, 0);
  rest.open();
  await streaming;
  assert.equal((await sdk.span(CREATE)).attributes["turngate.stream"], true);
});

test("a failure sets its code; as an error response it marks the server span too", async (t) => {
  const { sdk, service } = await start(t);
  service.provider.plays([fails("provider_overloaded")]);
  assert.equal((await service.create({ input: "hello" })).status, 502);
  const request = await sdk.span(CREATE);
  assert.equal(request.status.code, SpanStatusCode.ERROR);
  assert.equal(request.attributes["error.type"], "provider_overloaded");
  const call = await sdk.span(CHAT);
  assert.equal(call.status.code, SpanStatusCode.ERROR);
  assert.equal(call.attributes["error.type"], "provider_overloaded");
  assert.equal(call.attributes["turngate.response.status"], "withdrawn");
  assert.deepEqual(call.attributes["gen_ai.response.finish_reasons"], ["error"]);
});

test("a response that outlives its client keeps its trace", async (t) => {
  const { sdk, service } = await start(t);
  const rest = gate();
  service.provider.plays([rest.opened, FINISHED]);
  const headers = { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-01` };
  const waiting = service.create({ input: "hello" }, { headers });
  await until("the call", () => service.provider.calls.length === 1);
  await service.clock.advance(90_000);
  assert.equal((await waiting).json.status, "in_progress");
  const request = await sdk.span(CREATE);
  rest.open();
  const call = await sdk.span(CHAT);
  assert.equal(call.parentSpanContext?.spanId, request.spanContext().spanId);
  assert.equal(call.attributes["turngate.response.status"], "completed");
});

test("no content reaches a span", async (t) => {
  const { sdk, service } = await start(t);
  service.provider.plays(says("canary-output"));
  const body = { input: "canary-input", instructions: "canary-instructions", metadata: { label: "canary-label" } };
  await service.create({ ...body, user: "canary-user" }, { headers: { "user-agent": "canary-agent" } });
  await service.request("GET", "/v1/responses/canary-id?include=canary-query");
  await sdk.span("GET /v1/responses/:response_id");
  const spans = JSON.stringify(
    sdk.ended().map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
  );
  assert.ok(spans.length > 500);
  assert.doesNotMatch(spans, /canary/);
  for (const secret of [service.key, service.keyId, service.organizationId]) assert.ok(!spans.includes(secret));
});
