// What happens at the very moment in which a turn ends, is taken back, or the service stops. @spec states-and-transitions, limits
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { type Store, StoreError } from "../../../src/ports/store.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertRefused } from "../../support/refused.ts";
import { fails, gate, says } from "../../support/scripted-provider.ts";
import { TestService, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

type Withdraw = Store["withdrawTurn"];

/** What a test does around the store's next calls. */
const around: { afterRead: (() => Promise<void>) | null; withdraw: ((real: Withdraw) => Withdraw) | null } = {
  afterRead: null,
  withdraw: null,
};

const service = await TestService.start({
  wrapStore: (store) => ({
    ...store,
    async readTurn(query) {
      const turn = await store.readTurn(query);
      const { afterRead } = around;
      around.afterRead = null;
      await afterRead?.();
      return turn;
    },
    withdrawTurn: (query) => (around.withdraw?.(store.withdrawTurn) ?? store.withdrawTurn)(query),
  }),
});
after(() => service.close());

test("a stream asked for again just as its response settles tells it whole", async () => {
  const { opened, open } = gate();
  service.provider.plays([opened, ...(says("done") as readonly [])]);
  const headers = { "idempotency-key": "settles meanwhile" };
  const first = await LiveStream.open(service, {}, { headers });
  await first.sees("response.in_progress");
  await service.clock.advance(300_000);
  await first.closed;
  around.afterRead = async () => {
    open();
    await until("the end", () => service.gateway.occupancy().turnsRunning === 0);
  };
  const again = await LiveStream.open(service, {}, { headers });
  await again.closed;
  assert.equal(again.events.at(-1)?.event, "response.completed");
});

test("a turn that is being taken back when the wait ends is not told of: its failure is", async () => {
  const { opened, open } = gate();
  const asked = Promise.withResolvers<void>();
  around.withdraw = (real) => async (query) => {
    asked.resolve();
    await opened;
    return real(query);
  };
  service.provider.plays([fails("provider_overloaded")]);
  const headers = { "idempotency-key": "taken back" };
  const pending = service.create({ input: "Hi" }, { headers });
  await asked.promise;
  await service.clock.advance(90_000);
  open();
  assertRefused(await pending, { status: 502, code: "provider_overloaded" });
  around.withdraw = null;
  // Nothing is left of it: its key is free.
  assert.equal((await service.create({ input: "Hi" }, { headers })).json.status, "completed");
});

test("a turn that could not be taken back within the wait stays, failed, and its key is used", async () => {
  let attempts = 0;
  around.withdraw = () => async () => {
    attempts++;
    throw new StoreError("unavailable", "away for a moment");
  };
  service.provider.plays([fails("provider_overloaded")]);
  const headers = { "idempotency-key": "not taken back" };
  const pending = service.create({ input: "Hi" }, { headers });
  await until("an attempt", () => attempts === 1);
  await service.clock.advance(90_000);
  const { status, json } = await pending;
  around.withdraw = null;
  assert.deepEqual([status, json.status], [200, "in_progress"]);
  await service.clock.advance(5_000);
  const get = () => service.request("GET", `/v1/responses/${json.id}`);
  await until("its end", async () => (await get()).json.status !== "in_progress");
  assert.equal((await get()).json.error.code, "provider_overloaded");
  assert.equal((await service.create({ input: "Hi" }, { headers })).json.id, json.id);
});

test("a create whose body comes while the service stops is refused: a drain that is over waits for nobody", async () => {
  await withService({}, async (stopping) => {
    const body = JSON.stringify({ model: "test/all", input: "Hi" });
    const socket = connect(Number(new URL(stopping.baseUrl).port), "127.0.0.1");
    const head = [
      "POST /v1/responses HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${stopping.key}`,
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
    const perMinute = stopping.gateway.world.limits.requests_per_minute.create;
    const left = () => stopping.gateway.allowances.look(stopping.organizationId, "create", perMinute).remaining;
    await until("it is admitted", () => left() < perMinute);
    await stopping.gateway.drain();
    socket.write(body.slice(5));
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 503 [^]*"code":"gateway_overloaded"/);
    socket.destroy();
    assert.equal(stopping.provider.calls.length, 0);
  });
});
