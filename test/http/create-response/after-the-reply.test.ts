// Once a response is over and its reply is sent, nothing of it is left: no timer and no subscription.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveStream } from "../../support/live-stream.ts";
import { fails, FINISHED, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

/** Streams subscribed to a stop of the service. */
const interrupts = new Set<object>();

const service = await serviceForFile({ hasPlainModels: true, limits: { concurrent_turns: 1, queued_turns: 1 } });
const { openStreams } = service.gateway;
const { onInterrupt } = openStreams;
Object.assign(openStreams, {
  onInterrupt(interrupt: () => void) {
    const takeBack = onInterrupt(interrupt);
    interrupts.add(takeBack);
    return () => {
      interrupts.delete(takeBack);
      takeBack();
    };
  },
});

/** A stream that has begun, and a function that lets its model finish. */
async function running(headers: Readonly<Record<string, string>> = {}) {
  const { opened, open } = gate();
  service.provider.plays([[{ type: "text", text: "a" }], opened, FINISHED]);
  const stream = await LiveStream.open(service, {}, { headers });
  await stream.sees("response.output_text.delta");
  assert.ok(service.clock.pending > 0 && interrupts.size > 0, "control: something ticks while it runs");
  return { stream, open };
}

const cancel = (id: string) => service.request("POST", `/v1/responses/${id}/cancel`);

const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "an answer": () => service.create({ input: "Hi" }),
  "a failed response": async () => {
    service.provider.plays([fails("provider_error")]);
    assert.equal((await service.create({ input: "Hi" })).json.status, "failed");
  },
  "a turn that was taken back": async () => {
    service.provider.plays([fails("provider_overloaded")]);
    assert.equal((await service.create({ input: "Hi" })).status, 502);
    // The rejection is written a second later.
    await service.clock.advance(1000);
  },
  "an answer at the second try": async () => {
    service.provider.plays([fails("provider_unavailable", { certainlyNotRun: true })], says("b"));
    const pending = service.create({ input: "Hi" });
    await until("the pause", () => service.logged.some(({ event }) => event === "provider.retry"));
    await service.clock.advance(100);
    assert.equal((await pending).json.status, "completed");
  },
  "a wait that ended before its turn": async () => {
    const { opened, open } = gate();
    const asked = service.provider.calls.length;
    service.provider.plays([opened, FINISHED]);
    const pending = service.create({ input: "Hi" });
    await until("the call", () => service.provider.calls.length > asked);
    await service.clock.advance(90_000);
    assert.equal((await pending).json.status, "in_progress");
    open();
  },
  "a stream": () => service.stream({ input: "Hi" }),
  "a stream of a failed response": async () => {
    service.provider.plays([fails("provider_overloaded")]);
    assert.equal((await service.stream({ input: "Hi" })).events.at(-1)?.event, "response.failed");
  },
  "a stream that was cancelled": async () => {
    const { stream } = await running();
    await cancel(stream.id);
    await stream.closed;
  },
  "a stream whose turn was cancelled in the queue": async () => {
    const { stream, open } = await running();
    const queued = await LiveStream.open(service, {});
    await queued.sees("response.queued");
    await cancel(queued.id);
    await queued.closed;
    open();
    await stream.closed;
  },
  "a stream whose client went": async () => {
    const { stream, open } = await running();
    stream.drop();
    await until("the server to see it", () => interrupts.size === 0);
    open();
  },
  "a stream at its ceiling": async () => {
    const { stream, open } = await running();
    await service.clock.advance(300_000);
    await stream.closed;
    open();
  },
  "a stream replayed": async () => {
    const headers = { "idempotency-key": "again" };
    const { stream, open } = await running(headers);
    await service.clock.advance(300_000);
    await stream.closed;
    const waiting = await LiveStream.open(service, {}, { headers });
    await waiting.sees("response.in_progress");
    open();
    await waiting.closed;
    assert.equal(waiting.events.at(-1)?.event, "response.completed");
    const replayed = await LiveStream.open(service, {}, { headers });
    await replayed.closed;
  },
};

for (const [way, happens] of Object.entries(WAYS)) {
  test(`after ${way} no timer is left`, async () => {
    await happens();
    await until("the end of its turn", () => service.gateway.occupancy().responsesRunning === 0);
    // A stream is over for the service before its last byte has reached the client.
    // A rejected request is kept a second later, with others: that timer is not the response's.
    await service.gateway.rejections.write();
    await until("no timer and no interrupt", () => service.clock.pending === 0 && interrupts.size === 0);
    assert.equal(service.gateway.occupancy().openStreams, 0);
  });
}
