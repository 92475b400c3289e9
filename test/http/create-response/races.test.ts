// Races with the end of a response, its withdrawal, or the stop of the service. @spec states-and-transitions, limits
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { type Store, StoreError } from "../../../src/ports/store/store.ts";
import { TESTS } from "../../support/actor.ts";
import { aroundStore } from "../../support/around-store.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { fails, gate } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const around = aroundStore();
const service = await serviceForFile({ wrapStore: around.wrapStore });

test("a stream that is retried just as its response settles is complete", async () => {
  const open = service.provider.playsLater("done");
  const headers = { "idempotency-key": "settles meanwhile" };
  const first = await LiveStream.open(service, {}, { headers });
  await first.sees("response.in_progress");
  await service.clock.advance(300_000);
  await first.closed;
  around.afterRead = async () => {
    open();
    await until("the end", () => service.gateway.occupancy().responsesRunning === 0);
  };
  const again = await LiveStream.open(service, {}, { headers });
  await again.closed;
  assert.equal(again.events.at(-1)?.event, "response.completed");
});

test("a response that is being withdrawn when the wait ends stays, failed: a retry on another node may have it by then", async () => {
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
  const { status, json } = await pending;
  around.withdraw = null;
  assert.deepEqual([status, json.status, json.error?.code], [200, "failed", "provider_overloaded"]);
  assert.equal((await service.create({ input: "Hi" }, { headers })).json.id, json.id);
});

test("a retry is not told of a response that is being withdrawn, even after the wait", async () => {
  const { opened, open } = gate();
  const asked = Promise.withResolvers<void>();
  around.withdraw = (real) => async (query) => {
    asked.resolve();
    await opened;
    // The store was called within the wait, and is slow.
    service.clock.setWall(-1000);
    const withdrawing = real(query);
    service.clock.setWall(1000);
    return withdrawing;
  };
  service.provider.plays([fails("provider_overloaded")]);
  const headers = { "idempotency-key": "being taken back" };
  const pending = service.create({ input: "Hi" }, { headers });
  await asked.promise;
  await service.clock.advance(90_000);
  for (let tries = 0; tries < 2; tries++) {
    const retried = await service.create({ input: "Hi" }, { headers });
    assertApiError(retried, { status: 409, code: "idempotency_in_progress" });
  }
  open();
  assertApiError(await pending, { status: 502, code: "provider_overloaded" });
  around.withdraw = null;
  assert.equal((await service.create({ input: "Hi" }, { headers })).json.status, "completed");
});

test("a withdrawal whose answer is lost as the wait ends stands: no client gets the id of its response", async () => {
  around.withdraw = (real) => async (query) => {
    around.withdraw = null;
    await real(query);
    await service.clock.advance(1000);
    throw new StoreError("unavailable", "the answer is lost");
  };
  const { opened, open } = gate();
  service.provider.plays([opened, fails("provider_overloaded")]);
  const headers = { "idempotency-key": "taken back unseen" };
  const before = service.provider.calls.length;
  const pending = service.create({ input: "Hi" }, { headers });
  await until("the provider's call", () => service.provider.calls.length > before);
  await service.clock.advance(89_500);
  open();
  await until("the pause before the next try", () => service.clock.dueIn(100) === 1);
  await service.clock.advance(100);
  assertApiError(await pending, { status: 502, code: "provider_overloaded" });
  assert.equal((await service.create({ input: "Hi" }, { headers })).json.status, "completed");
});

test("F-42: a client whose wait ends during a withdrawal that fails is told of the response when the store is late", async () => {
  const { opened, open } = gate();
  const asked = Promise.withResolvers<void>();
  around.withdraw = () => async () => {
    asked.resolve();
    await opened;
    throw new StoreError("unavailable", "another process writes");
  };
  around.settle = () => () => Promise.reject(new StoreError("unavailable", "another process writes"));
  service.provider.plays([fails("provider_overloaded")]);
  let isReplied = false;
  const pending = service.create({ input: "Hi" }).finally(() => {
    isReplied = true;
  });
  await asked.promise;
  await service.clock.advance(90_000);
  open();
  for (let tries = 0; tries < 40; tries++) await service.clock.advance(500);
  await until("the reply", () => isReplied);
  const { status, json } = await pending;
  [around.withdraw, around.settle] = [null, null];
  assert.deepEqual([status, json.status], [200, "in_progress"]);
  await service.clock.advance(500);
  const get = async () => (await service.request("GET", `/v1/responses/${json.id}`)).json;
  await until("its end", async () => (await get()).status === "failed");
});

test("a response that could not be withdrawn within the wait stays, failed, and its key is used", async () => {
  const { opened, open } = gate();
  around.settle = (real) => async (settle) => {
    await opened;
    return real(settle);
  };
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
  [around.withdraw, around.settle] = [null, null];
  assert.deepEqual([status, json.status], [200, "in_progress"]);
  open();
  await service.clock.advance(5_000);
  const get = () => service.request("GET", `/v1/responses/${json.id}`);
  await until("its end", async () => (await get()).json.status !== "in_progress");
  assert.equal((await get()).json.error.code, "provider_overloaded");
  assert.equal((await service.create({ input: "Hi" }, { headers })).json.id, json.id);
});

test("a create whose body arrives while the service stops is rejected: a finished drain does not wait for it", async () => {
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
    const perMinute = stopping.manageServices.limits.requests_per_minute.create;
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

test("a drain that starts between a create's slot and its begin waits for that response", async () => {
  const { opened, open } = gate();
  const beginning = Promise.withResolvers<void>();
  const wrapStore = (store: Store): Store => ({
    ...store,
    async beginResponse(begin) {
      beginning.resolve();
      await opened;
      return store.beginResponse(begin);
    },
  });
  await withService({ wrapStore }, async (stopping) => {
    const pending = stopping.create({ input: "Hi" });
    await beginning.promise;
    let isOver = false;
    const drained = stopping.gateway.drain().finally(() => {
      isOver = true;
    });
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    open();
    const { status, json } = await pending;
    assert.deepEqual([status, json.status], [200, "completed"]);
    await drained;
  });
});

for (const concurrentTurns of [1, 0])
  test(`a turn that begins as a drain stops all turns is stopped with them, before its provider is called (${concurrentTurns} free slots)`, async () => {
    const { opened, open } = gate();
    const beginning = Promise.withResolvers<void>();
    let isHeld = false;
    const wrapStore = (store: Store): Store => ({
      ...store,
      async beginResponse(begin) {
        if (isHeld) {
          beginning.resolve();
          await opened;
        }
        return store.beginResponse(begin);
      },
    });
    const limits = { drain_seconds: 5, concurrent_turns: 1 };
    await withService({ wrapStore, limits }, async (stopping) => {
      const never = new Promise(() => {});
      stopping.provider.plays([never], [never]);
      if (concurrentTurns === 0) {
        void stopping.create({ input: "Hi" });
        await until("the call", () => stopping.provider.calls.length === 1);
      }
      const before = stopping.provider.calls.length;
      isHeld = true;
      const pending = stopping.create({ input: "Hi" });
      await beginning.promise;
      const drained = stopping.gateway.drain();
      await stopping.clock.advance(5000);
      open();
      const { status, json } = await pending;
      assert.deepEqual([status, json.status, json.error?.code], [200, "failed", "run_failed"]);
      await drained;
      assert.equal(stopping.provider.calls.length, before);
    });
  });

describe("a key that is revoked between its admission and the begin of its turn gets 401", () => {
  for (const [name, before] of [
    ["a first turn", async () => ({})],
    [
      "a later turn",
      async (key: string) => ({ previous_response_id: (await service.create({ input: "Hi" }, { key })).json.id }),
    ],
  ] as const) {
    test(name, async () => {
      const { secret: key, keyId } = await service.newKey();
      const named = await before(key);
      const asked = service.provider.calls.length;
      around.begin = (real) => async (begin) => {
        await service.store.revokeKey({ by: TESTS, keyId, revokedAt: 1 });
        return real(begin);
      };
      const answer = await service.create({ input: "Hi", ...named }, { key });
      around.begin = null;
      assertApiError(answer, { status: 401, code: "invalid_api_key" });
      assert.equal(service.provider.calls.length, asked);
    });
  }
});
