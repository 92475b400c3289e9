// The memory for request bodies also bounds the histories that wait for their provider. A turn drops the texts of its
// history while it is queued, and once the provider has the request. docs/decisions/bodies.md, docs/reliability.md, A-1
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderCall } from "../../../src/ports/provider.ts";
import type { Reply } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { fails, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { modelOfTargets, scriptedProviders, targetOf } from "../../support/targets.ts";
import { until } from "../../support/until.ts";

const ROOM = 256 * 1024;
const service = await serviceForFile({
  hasPlainModels: true,
  limits: { body_bytes: ROOM, bodies_in_hand_bytes: ROOM, concurrent_turns: 2 },
});
const { provider } = service;

/** A response whose history has 200,000 characters, of small bodies: one fits into the share of a key. */
async function longHistory(): Promise<string> {
  let previous_response_id: string | null = null;
  for (let turn = 0; turn < 4; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- each continues the one before
    const { json }: Reply = await service.create({ input: "x".repeat(50_000), previous_response_id });
    previous_response_id = json.id;
  }
  return String(previous_response_id);
}

/** The lengths of the texts that a model is sent of it. */
const SENT = [...Array.from({ length: 4 }, () => [50_000, 2]).flat(), 2];

/** A script that waits for `open` before it does anything. */
function hangs() {
  const { opened, open } = gate();
  provider.plays([opened, ...says("late")]);
  return open;
}

const textsOf = ({ prompt }: ProviderCall) =>
  prompt.items.map((item) => ("text" in item ? item.text.length : item.type));
const callsTo = (count: number) => until("the call", () => provider.calls.length >= count);

test("a history without room is a 503; there is room again once a provider has the request", async () => {
  const previous_response_id = await longHistory();
  const continued = () => service.create({ input: "Hi", previous_response_id });
  const asked = provider.calls.length;
  const open = hangs();
  const first = continued();
  await callsTo(asked + 1);
  const call = provider.calls.at(-1)!;
  assert.deepEqual(textsOf(call), SENT);
  const rejected = await continued();
  assertApiError(rejected, { status: 503, code: "gateway_overloaded", message: /bodies and histories/ });
  assert.equal(rejected.headers["retry-after"], "1");
  assert.equal((await service.create({ input: "Hi" })).status, 200);
  assert.equal(provider.calls.length, asked + 2);
  call.onTaken?.();
  assert.deepEqual(textsOf(call), []);
  assert.equal((await continued()).status, 200);
  open();
  assert.equal((await first).json.status, "completed");
});

test("a response that ends gives its room back", async () => {
  const previous_response_id = await longHistory();
  for (let turn = 0; turn < 3; turn++) {
    provider.plays([fails("provider_unavailable")]);
    const { status } = await service.create({ input: "Hi", previous_response_id });
    assert.equal(status, 502);
  }
  assert.equal((await service.create({ input: "Hi", previous_response_id })).status, 200);
});

test("queued responses hold no history, and are sent all of it, one after the other", async () => {
  const previous_response_id = await longHistory();
  const asked = provider.calls.length;
  const [endOne, endTwo] = [hangs(), hangs()];
  const busy = [service.create({ input: "Busy" }), service.create({ input: "Busy" })];
  await callsTo(asked + 2);
  const [openOne, openTwo] = [hangs(), hangs()];
  const queued = [];
  for (const count of [1, 2]) {
    queued.push(service.create({ input: "Hi", previous_response_id }));
    await until("the queue", () => service.gateway.runs.all().length === 2 + count);
  }
  endOne();
  endTwo();
  await Promise.all(busy);
  await callsTo(asked + 3);
  await service.clock.advance(250);
  assert.equal(provider.calls.length, asked + 3, "the other one waits for room");
  openOne();
  await Promise.race(queued);
  await service.clock.advance(250);
  await callsTo(asked + 4);
  openTwo();
  for (const { json } of await Promise.all(queued)) assert.equal(json.status, "completed");
  for (const call of provider.calls.slice(-2)) assert.deepEqual(textsOf(call), SENT);
});

test("a call that is repeated is sent the whole history again", async () => {
  const previous_response_id = await longHistory();
  const sent: unknown[] = [];
  provider.plays(
    (call) => {
      sent.push(textsOf(call));
      call.onTaken?.();
      return [fails("provider_unavailable", { certainlyNotRun: true })];
    },
    (call) => {
      sent.push(textsOf(call));
      return says("ok");
    },
  );
  const pending = service.create({ input: "Hi", previous_response_id });
  await until("the pause", () => service.logged.some(({ event }) => event === "provider.retry"));
  await service.clock.advance(100);
  assert.equal((await pending).json.status, "completed");
  assert.deepEqual(sent, [SENT, SENT]);
});

test("a target that is asked again after it took the request is sent the whole history again", async () => {
  const providers = scriptedProviders("one");
  const { one } = providers.of;
  const settings = { providers: providers.registry, models: [modelOfTargets([targetOf("one")])] };
  await withService(settings, async (own) => {
    const model = "test/targets";
    const first = await own.create({ model, input: "x".repeat(70_000) });
    const taken = (call: ProviderCall) => {
      call.onTaken?.();
      return [fails("provider_rate_limited", { status: 429 })];
    };
    one.plays(taken, says("at last"));
    const pending = own.create({ model, input: "Hi", previous_response_id: first.json.id });
    await until("the pause", () => own.logged.some(({ event }) => event === "provider.retry"));
    await own.clock.advance(100);
    assert.equal((await pending).json.output[0].content[0].text, "at last");
    assert.deepEqual(one.calls.slice(-2).map(textsOf), [[], [70_000, 2, 2]]);
  });
});
