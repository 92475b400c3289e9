// The whole service on Anthropic: failures, streams that break, turns that are cancelled.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { until } from "../../support/until.ts";
import { TOOLS } from "../service-on-fake.ts";
import { MODEL, startOnAnthropic } from "./service-setup.ts";

const { service, calls, create, assertCompleted } = await startOnAnthropic();

test("an output that is cut short ends incomplete, and its unfinished call is not in the history", async () => {
  const cut = await create({
    input: '/say Well,\n/tool look {"at":"a very long place that has no end to it at all, however far one looks"}',
    tools: TOOLS,
    max_output_tokens: 16,
  });
  assert.deepEqual([cut.json.status, cut.json.incomplete_details], ["incomplete", { reason: "max_output_tokens" }]);
  assertCompleted(await create({ previous_response_id: cut.json.id, input: "/say On." }));
});

test("the three failures that are HTTP errors for a waiting client, before and after the first output", async () => {
  const rows: [string, number, string][] = [
    ["provider_rate_limited retry_after=7", 429, "provider_rate_limited"],
    ["provider_overloaded", 502, "provider_overloaded"],
    ["provider_unavailable", 502, "provider_unavailable"],
  ];
  for (const [directive, status, code] of rows) {
    const early = await create({ input: `/fail ${directive}` });
    assertApiError(early, { status, code });
    assert.equal(early.headers["retry-after"], directive.includes("retry_after") ? "7" : undefined);
    assertApiError(await create({ input: `/say Half\n/fail ${directive}` }), { status, code });
  }
  // A lost connection is not retried: the request may have run.
  assert.equal(calls().length, 6);
});

test("every other failure is a failed response, with the facts an operator needs and without our key", async () => {
  const rows: [string, string, number, boolean][] = [
    ["provider_client_error", "provider_client_error", 400, false],
    ["provider_error", "provider_error", 200, true],
  ];
  for (const [directive, code, status, retryable] of rows) {
    const reply = await create({ input: `/fail ${directive}` });
    assert.equal(reply.status, 200);
    assert.deepEqual([reply.json.status, reply.json.error.code], ["failed", code]);
    const { provider, provider_status, provider_request_id, retryable: mayRetry } = reply.json["svc:error"];
    assert.deepEqual([provider, provider_status, mayRetry], ["anthropic", status, retryable]);
    assert.match(provider_request_id, /^req_fake_\d+$/);
  }
});

test("our own wrong key is reported as an unavailable provider", async () => {
  const reply = await create({ model: "wrong-key/claude", input: "Hi" });
  assertApiError(reply, { status: 502, code: "provider_unavailable" });
  assert.doesNotMatch(reply.text, /key|sk-ant/);
  assert.equal(calls()[0]?.error, "invalid x-api-key");
});

test("a stream has its events in order, and a failure within it ends it", async () => {
  const body = {
    model: MODEL,
    stream: true,
    tools: TOOLS,
    input: '/reason "Hm."\n/say One two.\n/tool look {"at":"x"}',
  };
  const { events } = await service.stream(body);
  const types = events.map(({ event }) => event).filter((event, at, all) => event !== all[at - 1]);
  assert.deepEqual(types, [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
  ]);
  const failed = await service.stream({ model: MODEL, stream: true, input: "/say Half\n/fail provider_overloaded" });
  const last = failed.events.at(-1) as Loose;
  assert.equal(last.event, "response.failed");
  assert.equal(last.data.response.error.code, "provider_overloaded");
  assert.equal(last.data.response.output[0].status, "incomplete");
});

test("a cancelled turn closes its connection at once, and is billed for the output so far", async () => {
  const stream = await LiveStream.open(service, { model: MODEL, input: "/say Begun\n/hang" });
  await stream.sees("response.output_text.delta");
  const cancelled = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
  assert.equal(cancelled.json.status, "cancelled");
  assert.ok(cancelled.json.usage.input_tokens > 0 && cancelled.json.usage.output_tokens > 0);
  await until("the provider's connection to close", () => calls()[0]?.isAborted === true);
  await stream.closed;
});
