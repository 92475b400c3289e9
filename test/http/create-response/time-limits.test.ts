// The time limits of a create, at their edges: nothing happens a millisecond before. @spec limits
import assert from "node:assert/strict";
import { test } from "node:test";
import { TESTS } from "../../support/actor.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { IN_PROGRESS, newKey } from "./idempotent.ts";

const service = await serviceForFile();

/** A stream whose model says nothing until it is let go on. */
async function runningStream(options: Parameters<typeof LiveStream.open>[2] = {}) {
  const open = service.provider.playsLater("late");
  const stream = await LiveStream.open(service, {}, options);
  await stream.sees("response.in_progress");
  return { stream, open };
}

test("a create without a stream is answered at 90 seconds, and its retry from then on", async () => {
  const key = newKey();
  const called = service.provider.calls.length;
  const { opened, open } = gate();
  service.provider.plays([opened, FINISHED]);
  let isAnswered = false;
  const pending = service.create({ input: "Hi" }, key).finally(() => {
    isAnswered = true;
  });
  await until("the call", () => service.provider.calls.length > called);
  await service.clock.advance(89_999);
  assertApiError(await service.create({ input: "Hi" }, key), IN_PROGRESS);
  assert.equal(isAnswered, false);
  await service.clock.advance(1);
  assert.equal((await pending).json.status, "in_progress");
  assert.equal((await service.create({ input: "Hi" }, key)).json.status, "in_progress");
  open();
});

test("a stream ends at 300 seconds, and its retry is answered from then on, although the client left before", async () => {
  const key = newKey();
  const { stream, open } = await runningStream();
  const { stream: left, open: openLeft } = await runningStream(key);
  left.drop();
  await service.clock.advance(299_999);
  assertApiError(await service.stream({ input: "hi" }, key), IN_PROGRESS);
  assert.equal(stream.isClosed, false);
  await service.clock.advance(1);
  await stream.closed;
  assert.equal(stream.events.at(-1)?.data.code, "response_unresolved");
  const again = await LiveStream.open(service, {}, key);
  await again.sees("response.in_progress");
  openLeft();
  open();
  await again.closed;
  assert.equal(again.events.at(-1)?.event, "response.completed");
});

test("a response fails at turn_seconds", async () => {
  const { stream } = await runningStream();
  const path = `/v1/responses/${stream.id}`;
  await service.clock.advance(3_599_999);
  assert.equal((await service.request("GET", path)).json.status, "in_progress");
  await service.clock.advance(1);
  await until("the end", async () => (await service.request("GET", path)).json.status === "failed");
  const { error } = (await service.request("GET", path)).json;
  assert.deepEqual(error, { code: "run_failed", message: "The turn did not end within 3600 seconds." });
});

test("the replayed stream of a running response takes one of the organization's places until it is over", async () => {
  const { organizationId } = await service.newOrganization();
  const { secret } = await service.newKey(organizationId);
  await service.store.updateOrganization({ by: TESTS, organizationId, limits: { openStreams: 1 } });
  const options = { key: secret, ...newKey() };
  const full = async () => {
    const rejected = await service.stream({ input: "Hi" }, { key: secret });
    assertApiError(rejected, { status: 429, code: "stream_limit_exceeded" });
  };
  const { stream, open } = await runningStream(options);
  await service.clock.advance(300_000);
  await stream.closed;
  const first = await LiveStream.open(service, {}, options);
  await first.sees("response.in_progress");
  await full();
  assertApiError(await service.stream({ input: "hi" }, options), { status: 429, code: "stream_limit_exceeded" });
  first.drop();
  await until("a free place", () => service.gateway.occupancy().openStreams === 0);
  const second = await LiveStream.open(service, {}, options);
  await second.sees("response.in_progress");
  await full();
  open();
  await second.closed;
  await until("a free place", () => service.gateway.occupancy().openStreams === 0);
  assert.equal((await service.stream({ input: "Hi" }, { key: secret })).status, 200);
});
