// POST /v1/responses : failures of the store. @spec errors
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StoreError, type Store } from "../../../src/ports/store/store.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { withService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

/** A store whose named functions fail while `fault` returns an error. */
function faulty(names: readonly (keyof Store)[], fault: () => Error | null) {
  return (store: Store): Store =>
    new Proxy(store, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (!names.includes(name as keyof Store) || typeof value !== "function") return value;
        return (...parameters: unknown[]) => {
          const error = fault();
          return error === null ? Reflect.apply(value, target, parameters) : Promise.reject(error);
        };
      },
    });
}

describe("a store out of reach", () => {
  test("begin: 503 database_unavailable, nothing created, the key still deduplicates", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["beginResponse", "findClaim"], () => fault) }, async (broken) => {
      const first = await broken.create({ input: "Hi" }, withKey("k"));
      const before = await dumpTables(broken);
      fault = new StoreError("unavailable", "secret detail");
      for (const reply of [
        await broken.create({ input: "Hi" }),
        await broken.stream({ input: "Hi" }),
        await broken.create({ input: "Hi" }, withKey("k")),
      ]) {
        assertApiError(reply, { status: 503, code: "database_unavailable" });
        assert.equal(reply.headers["retry-after"], "1");
        assert.equal(reply.text.includes("secret"), false);
      }
      assert.deepEqual(await dumpTables(broken), before);
      fault = null;
      assert.equal((await broken.create({ input: "Hi" }, withKey("k"))).text, first.text);
      assert.equal(broken.provider.calls.length, 1);
    });
  });

  test("a store that failed: 500 database_error, its detail only in the log", () =>
    withService(
      { wrapStore: faulty(["beginResponse"], () => new StoreError("failed", "secret detail")) },
      async (broken) => {
        const reply = await broken.create({ input: "Hi" });
        assertApiError(reply, { status: 500, code: "database_error" });
        assert.equal(reply.text.includes("secret"), false);
        assert.ok(broken.logged.some(({ error }) => error instanceof StoreError));
      },
    ));

  test("an internal error: 500 internal_server_error, without its detail", () =>
    withService({ wrapStore: faulty(["beginResponse"], () => new TypeError("secret detail")) }, async (broken) => {
      const reply = await broken.create({ input: "Hi" });
      assertApiError(reply, { status: 500, code: "internal_server_error" });
      assert.equal(/secret|TypeError/.test(reply.text), false);
      const { fields } = broken.logged.at(-1) as { fields: { request_id: string } };
      assert.equal(fields.request_id, reply.headers["x-request-id"]);
    }));

  test("a settlement is retried until it is stored; only then the client gets the end", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["settleResponse"], () => fault) }, async (broken) => {
      fault = new StoreError("unavailable", "away");
      let isAnswered = false;
      const pending = broken.create({ input: "Hi" }).finally(() => {
        isAnswered = true;
      });
      await until("a failed settlement", () => broken.logged.some(({ event }) => event === "store.unavailable"));
      await broken.clock.advance(2000);
      assert.equal(isAnswered, false);
      fault = null;
      await broken.clock.advance(5000);
      const { json } = await pending;
      assert.equal(json.status, "completed");
      assert.equal(broken.provider.calls.length, 1);
    });
  });

  test("no client waits more than 10 seconds for a store that accepts no settlement, nor long once it does again", async () => {
    let fault: Error | null = null;
    let failed = 0;
    const failing = () => {
      if (fault !== null) failed += 1;
      return fault;
    };
    await withService({ wrapStore: faulty(["settleResponse"], failing) }, async (broken) => {
      broken.provider.plays([gate().opened]);
      const running = broken.create({ input: "Hi" });
      await until("the turn that runs on", () => broken.provider.calls.length === 1);
      const [row] = (await dumpTables(broken))["responses"] as { public_id: string }[];
      const runningId = row?.public_id ?? "";
      fault = new StoreError("unavailable", "the disk is full");
      const waiting = broken.create({ input: "Hi" });
      const streaming = broken.stream({ input: "Hi" });
      const cancelling = broken.request("POST", `/v1/responses/${runningId}/cancel`);
      await until("the failed settlements", () => failed >= 3);
      await broken.clock.advance(11_000);
      const { status, json } = await waiting;
      assert.deepEqual([status, json.status, json.output], [200, "in_progress", []]);
      const last = (await streaming).events.at(-1);
      assert.deepEqual([last?.data.type, last?.data.code], ["error", "response_unresolved"]);
      assertApiError(await cancelling, { status: 503, code: "database_unavailable" });
      assert.equal((await running).json.status, "in_progress");

      fault = null;
      await broken.clock.advance(500);
      const settled = async (id: string) => (await broken.request("GET", `/v1/responses/${id}`)).json.status;
      await until("the settlements", async () => (await settled(json.id)) === "completed");
      await until("the cancellation", async () => (await settled(runningId)) === "cancelled");
    });
  });

  test("a stop does not wait forever for a store that accepts no settlement; the next start settles", async () => {
    let fault: Error | null = null;
    const limits = { drain_seconds: 5 };
    await withService({ limits, wrapStore: faulty(["settleResponse"], () => fault) }, async (broken) => {
      fault = new StoreError("unavailable", "away");
      void broken.create({ input: "Hi" });
      await until("a failed settlement", () => broken.logged.some(({ event }) => event === "store.unavailable"));
      const draining = broken.gateway.drain();
      let isOver = false;
      const rejected = assert.rejects(draining, /could not be settled/).finally(() => {
        isOver = true;
      });
      await broken.clock.advance(14_999);
      assert.equal(isOver, false);
      await broken.clock.advance(1);
      await rejected;
      fault = null;
      await broken.clock.advance(5000);
      await broken.restart();
      const rows = (await dumpTables(broken))["responses"] as { completed_at: bigint | null }[];
      assert.deepEqual(
        rows.map(({ completed_at }) => completed_at === null),
        [false],
      );
    });
  });

  test("however many settlements wait for the store, a create fails at once when it is unavailable", async () => {
    let fault: Error | null = null;
    let failed = 0;
    const failing = () => {
      if (fault !== null) failed += 1;
      return fault;
    };
    await withService({ wrapStore: faulty(["settleResponse", "beginResponse"], failing) }, async (broken) => {
      const count = 100;
      const { opened, open } = gate();
      const scripts = Array.from({ length: count }, () => [opened, FINISHED]);
      broken.provider.plays(...scripts);
      const pending = scripts.map(() => broken.create({ input: "Hi" }));
      await until("the calls", () => broken.provider.calls.length === count);
      fault = new StoreError("unavailable", "away");
      open();
      await until("the failed settlements", () => failed === count);
      for (let asked = 0; asked < 3; asked++) {
        assertApiError(await broken.create({ input: "Hi" }), { status: 503, code: "database_unavailable" });
      }
      fault = null;
      await broken.clock.advance(5000);
      for (const { json } of await Promise.all(pending)) assert.equal(json.status, "completed");
    });
  });

  test("a response whose end the store cannot keep is a failed response, never a stuck one", async () => {
    let fault: Error | null = null;
    const wrapStore = (store: Store): Store => ({
      ...store,
      settleResponse: (settle) =>
        fault !== null && settle.entersHistory ? Promise.reject(fault) : store.settleResponse(settle),
    });
    await withService({ wrapStore }, async (broken) => {
      fault = new StoreError("failed", "a page of nonsense");
      const { status, json } = await broken.create({ input: "Hi" });
      assert.deepEqual([status, json.status, json.error.code], [200, "failed", "run_failed"]);
      assert.deepEqual((await broken.request("GET", `/v1/responses/${json.id}`)).json, json);
    });
  });

  test("F-42: a response that cannot be settled even as failed is, once the store takes it; the conversation goes on", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["settleResponse"], () => fault) }, async (broken) => {
      const conversation = (await broken.request("POST", "/v1/conversations")).json.id;
      fault = new StoreError("failed", "a page of nonsense");
      const lost = await broken.create({ input: "Hi", conversation }, withKey("k"));
      assertApiError(lost, { status: 500, code: "database_error" });
      await broken.clock.advance(2000);
      fault = null;
      await broken.clock.advance(2000);
      const retried = async () => broken.create({ input: "Hi", conversation }, withKey("k"));
      await until("the settlement", async () => (await retried()).status === 200);
      const { status, error } = (await retried()).json;
      assert.deepEqual([status, error.code], ["failed", "run_failed"]);
      assert.equal((await broken.create({ input: "And?", conversation })).json.status, "completed");
      await broken.gateway.drain();
    });
  });

  test("a stop does not wait for a response that cannot be settled even as failed", async () => {
    const fault = new StoreError("failed", "a page of nonsense");
    await withService({ wrapStore: faulty(["settleResponse"], () => fault) }, async (broken) => {
      assert.equal((await broken.create({ input: "Hi" })).status, 500);
      let isOver = false;
      const drained = broken.gateway.drain().finally(() => {
        isOver = true;
      });
      await broken.clock.advance(2000);
      await until("the end of the drain", () => isOver);
      await drained;
    });
  });

  test("the wait ends and the response cannot be read: 504 request_timeout", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["readResponse"], () => fault) }, async (broken) => {
      for (const [headers, shouldRetry] of [
        [{}, "false"],
        [{ "idempotency-key": "k" }, undefined],
      ] as const) {
        const { opened, open } = gate();
        broken.provider.plays([opened, FINISHED]);
        const asked = broken.provider.calls.length;
        const pending = broken.create({ input: "Hi" }, { headers });
        await until("the call", () => broken.provider.calls.length > asked);
        fault = new StoreError("unavailable", "away");
        await broken.clock.advance(90_000);
        const reply = await pending;
        assertApiError(reply, { status: 504, code: "request_timeout" });
        assert.equal(reply.headers["x-should-retry"], shouldRetry);
        fault = null;
        open();
      }
    });
  });

  test("a key that cannot be checked is 503 auth_unavailable, never a 401; a mistyped one is a 401 without the store", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["findKey"], () => fault) }, async (broken) => {
      fault = new StoreError("unavailable", "away");
      for (const [method, path] of [
        ["POST", "/v1/responses"],
        ["GET", "/v1/models"],
        ["GET", "/v1/nowhere"],
        ["DELETE", "/v1/conversations/conv_a"],
      ] as const) {
        const reply = await broken.request(method, path, method === "POST" ? { body: { input: "Hi" } } : {});
        assertApiError(reply, { status: 503, code: "auth_unavailable" });
        assert.equal(reply.headers["retry-after"], "1");
      }
      const mistyped = await broken.request("GET", "/v1/models", { key: `${broken.key.slice(0, -1)}!` });
      assertApiError(mistyped, { status: 401, code: "invalid_api_key" });
    });
  });
});
