// POST /v1/responses/{response_id}/cancel. @spec states-and-transitions
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import type { Store } from "../../../src/ports/store/store.ts";
import type { Loose } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, fails, FINISHED, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

const never = new Promise(() => {});
const cancel = (id: string, from = service) => from.request("POST", `/v1/responses/${id}/cancel`);

test("a running response stops: cancelled, with the output so far, its provider call closed", async () => {
  service.provider.plays([
    [{ type: "text", text: "four score and" }],
    [
      { type: "call_started", index: 0, callId: "a", name: "f" },
      { type: "call_arguments", index: 0, delta: '{"q' },
    ],
    never,
  ]);
  const { aborted } = service.provider;
  const conversation = await service.request("POST", "/v1/conversations");
  const stream = await LiveStream.open(service, { conversation: conversation.json.id });
  await stream.sees("response.function_call_arguments.delta");
  const { status, json, text } = await cancel(stream.id);
  assert.equal(status, 200);
  assert.deepEqual(
    [json.status, json.error, json.incomplete_details, "svc:error" in json],
    ["cancelled", null, null, false],
  );
  assert.ok(json.completed_at >= json.created_at);
  assert.deepEqual(
    json.output.map((item: Loose) => [item.type, item.status, item.arguments ?? item.content[0].text]),
    [
      ["message", "completed", "four score and"],
      ["function_call", "incomplete", '{"q'],
    ],
  );
  assert.ok(json.usage.output_tokens > 0, "billed for what was produced");
  assert.equal(service.provider.aborted, aborted + 1);
  assert.equal((await service.request("GET", `/v1/responses/${stream.id}`)).text, text);
  await stream.closed;

  // The finished items and the text so far enter the history; the unfinished call does not, so nothing waits.
  const items = await service.request("GET", `/v1/conversations/${conversation.json.id}/items`);
  assert.deepEqual(
    items.json.data.map(({ type, role }: Loose) => [type, role]),
    [
      ["message", "user"],
      ["message", "assistant"],
    ],
  );
  const next = await service.create({ input: "Go on", conversation: conversation.json.id });
  assert.equal(next.status, 200, next.text);
  assert.equal((await service.create({ input: "Go on", previous_response_id: stream.id })).status, 200);
});

test("cancelled before any output: zeros, and an empty output", async () => {
  service.provider.plays([never]);
  const stream = await LiveStream.open(service, {});
  await stream.sees("response.in_progress");
  const { json } = await cancel(stream.id);
  assert.deepEqual([json.status, json.output, json.usage.total_tokens], ["cancelled", [], 0]);
});

test("a queued response is cancelled without ever running, and leaves the queue", () =>
  withService({ limits: { concurrent_turns: 1, queued_turns: 1 } }, async (busy) => {
    const open = busy.provider.playsLater("first");
    const first = await LiveStream.open(busy, {});
    await until("the first", () => busy.provider.calls.length === 1);
    const queued = await LiveStream.open(busy, {});
    await queued.sees("response.queued");
    const { json } = await cancel(queued.id, busy);
    assert.deepEqual([json.status, json.output, json.usage.total_tokens], ["cancelled", [], 0]);
    await queued.closed;
    assert.deepEqual(
      queued.events.map(({ event, data }) => [event, data.response.status]),
      [
        ["response.created", "queued"],
        ["response.queued", "queued"],
        ["response.failed", "cancelled"],
      ],
    );
    const next = await LiveStream.open(busy, {});
    await next.sees("response.queued");
    open();
    await Promise.all([first.closed, next.closed]);
    assert.equal(next.events.at(-1)?.event, "response.completed");
    assert.equal(busy.provider.calls.length, 2);
  }));

test("a cancelled response that has left the queue keeps its slot until its end is stored", async () => {
  const { opened: stored, open: store } = gate();
  const wrapStore = (real: Store): Store => ({
    ...real,
    async settleResponse(settled) {
      if (settled.end.status === "cancelled") await stored;
      return real.settleResponse(settled);
    },
  });
  await withService({ limits: { concurrent_turns: 1, queued_turns: 2 }, wrapStore }, async (busy) => {
    const open = busy.provider.playsLater("first");
    const first = await LiveStream.open(busy, {});
    await until("the first", () => busy.provider.calls.length === 1);
    busy.provider.plays([never]);
    const second = await LiveStream.open(busy, {});
    const third = await LiveStream.open(busy, {});
    open();
    await until("the second", () => busy.provider.calls.length === 2);
    const cancelled = cancel(second.id, busy);
    await until("the cancellation", () => busy.provider.aborted === 1);
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
    const { responsesRunning, responsesQueued } = busy.gateway.occupancy();
    store();
    assert.deepEqual({ responsesRunning, responsesQueued }, { responsesRunning: 1, responsesQueued: 1 });
    assert.equal((await cancelled).json.status, "cancelled");
    await Promise.all([first.closed, third.closed]);
    assert.equal(busy.provider.calls.length, 3);
  });
});

test("a finished response is returned unchanged, however it ended", async () => {
  service.provider.plays(
    says("ok"),
    calls({ callId: "a" }),
    [fails("provider_error")],
    [[{ type: "finished", incompleteReason: "max_output_tokens" }]],
  );
  for (const status of ["completed", "completed", "failed", "incomplete"]) {
    const created = await service.create({ input: "Hi" });
    assert.equal(created.json.status, status);
    assert.equal((await cancel(created.json.id)).text, created.text);
  }
});

test("a finished response shows encrypted_content only when its create asked for it", async () => {
  const thought: ProviderPart = { type: "reasoning", summary: ["s"], encryptedContent: "opaque" };
  for (const [include, shown] of [
    [[], [undefined]],
    [["reasoning.encrypted_content"], ["opaque"]],
  ] as const) {
    service.provider.plays([[thought], FINISHED]);
    const created = await service.create({ input: "Hi", include });
    const cancelled = await cancel(created.json.id);
    const encrypted = cancelled.json.output.map((item: Loose) => item.encrypted_content);
    assert.deepEqual(encrypted, shown);
    assert.equal(cancelled.text, created.text);
  }
});

test("cancelling again returns the same", async () => {
  service.provider.plays([[{ type: "text", text: "a" }], never]);
  const stream = await LiveStream.open(service, {});
  await stream.sees("response.output_text.delta");
  const [one, other] = await Promise.all([cancel(stream.id), cancel(stream.id)]);
  assert.equal(one.text, other.text);
  assert.equal((await cancel(stream.id)).text, one.text);
});

test("a waiting create gets the cancelled response", async () => {
  service.provider.plays([never]);
  const asked = service.provider.calls.length;
  const conversation = await service.request("POST", "/v1/conversations");
  const headers = { "idempotency-key": "waiting" };
  const pending = service.create({ input: "Hi", conversation: conversation.json.id }, { headers });
  await until("the call", () => service.provider.calls.length > asked);
  // No client knows the id yet: it comes from the store.
  const last = (await dumpTables(service))["responses"]?.at(-1) as { public_id: string };
  const cancelled = await cancel(last.public_id);
  assert.equal(cancelled.json.status, "cancelled");
  const reply = await pending;
  assert.equal(reply.text, cancelled.text);
  assert.equal(
    (await service.create({ input: "Hi", conversation: conversation.json.id }, { headers })).text,
    reply.text,
  );
});

test("a race of cancel and end has one outcome, which never changes", async () => {
  for (let round = 0; round < 20; round++) {
    const { opened, open } = gate();
    service.provider.plays([[{ type: "text", text: "a" }], opened, ...says("b")]);
    const stream = await LiveStream.open(service, {});
    await stream.sees("response.output_text.delta");
    const pending = cancel(stream.id);
    if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    open();
    const { json, text } = await pending;
    await stream.closed;
    assert.ok(["cancelled", "completed"].includes(json.status));
    assert.deepEqual(stream.events.at(-1)?.data.response, json);
    assert.equal((await service.request("GET", `/v1/responses/${stream.id}`)).text, text);
  }
});

test("a body is not read", async () => {
  const { json } = await service.create({ input: "Hi" });
  for (const body of ["", "{}", "{nonsense", "x".repeat(100_000)]) {
    const { status } = await service.request("POST", `/v1/responses/${json.id}/cancel`, { body });
    assert.equal(status, 200);
  }
});

test("a response that the key did not create or has deleted is the uniform 404", async () => {
  const { json } = await service.create({ input: "Hi" });
  const { secret } = await service.newKey();
  const NOT_FOUND = { status: 404, code: "resource_not_found" };
  assertApiError(await service.request("POST", `/v1/responses/${json.id}/cancel`, { key: secret }), NOT_FOUND);
  await service.request("DELETE", `/v1/responses/${json.id}`);
  assertApiError(await cancel(json.id), NOT_FOUND);
  assertApiError(await cancel("resp_none"), NOT_FOUND);
});

test("a body is ignored, whatever it is", async () => {
  service.provider.plays(says("Hi"));
  const { json } = await service.create({ input: "Hi" });
  for (const body of ["", " \r\n", "{}", "nonsense"]) {
    const reply = await service.request("POST", `/v1/responses/${json.id}/cancel`, { body });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.json, json);
  }
});
