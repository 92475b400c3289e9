// POST /v1/responses: what the provider, the store or this service itself can fail with. @spec errors; docs/wire.md, rules 1 and 14
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { FAILURE_CODES } from "../../../src/contract/failures.ts";
import { StoreError, type Store } from "../../../src/ports/store.ts";
import { assertRefused } from "../../support/refused.ts";
import { FINISHED, fails, gate, says } from "../../support/scripted-provider.ts";
import { TestService, withService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const service = await TestService.start();
after(() => service.close());

const WITHDRAWN = [
  { code: "provider_rate_limited", status: 429 },
  { code: "provider_overloaded", status: 502 },
  { code: "provider_unavailable", status: 502 },
] as const;
const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

describe("the three provider failures that are HTTP errors take the turn back", () => {
  for (const { code, status } of WITHDRAWN) {
    test(`${code}: no trace, the key is free again for another body`, async () => {
      const conversation = await service.request("POST", "/v1/conversations");
      const body = { conversation: conversation.json.id, input: "Hi" };
      const before = dumpTables(service.path);
      service.provider.plays([[{ type: "text", text: "partial" }], fails(code)]);
      assertRefused(await service.create(body, withKey(code)), {
        status,
        code,
        message: new RegExp(`scripted ${code}`),
      });
      assert.deepEqual(dumpTables(service.path), before);
      const other = await service.create({ ...body, input: "Another" }, withKey(code));
      assert.equal(other.status, 200, other.text);
      assert.deepEqual(service.provider.calls.at(-1)?.prompt.items.length, 1);
    });
  }

  test("Retry-After is the provider's, where it sent one", async () => {
    service.provider.plays([fails("provider_rate_limited", { retryAfterSeconds: 7, status: 429 })]);
    const timed = await service.create({ input: "Hi" });
    assertRefused(timed, { status: 429, code: "provider_rate_limited" });
    assert.equal(timed.headers["retry-after"], "7");
    service.provider.plays([fails("provider_rate_limited")]);
    const untimed = await service.create({ input: "Hi" });
    assert.equal("retry-after" in untimed.headers, false);
    service.provider.plays([fails("provider_rate_limited", { retryAfterSeconds: 3600 })]);
    assert.equal((await service.create({ input: "Hi" })).headers["retry-after"], "60");
    service.provider.plays([fails("provider_overloaded", { retryAfterSeconds: 7 })]);
    assert.equal("retry-after" in (await service.create({ input: "Hi" })).headers, false);
  });

  test("streaming they are failed responses", async () => {
    for (const { code } of WITHDRAWN) {
      service.provider.plays([[{ type: "text", text: "partial" }], fails(code)]);
      const { status, events } = await service.stream({ input: "Hi" });
      assert.equal(status, 200);
      const last = events.at(-1);
      assert.deepEqual([last?.event, last?.data.response.error.code], ["response.failed", code]);
      const retrieved = await service.request("GET", `/v1/responses/${last?.data.response.id}`);
      assert.deepEqual(retrieved.json, last?.data.response);
    }
  });
});

describe("every other failure is a failed response with status 200", () => {
  for (const code of FAILURE_CODES.filter((failure) => !WITHDRAWN.some((http) => http.code === failure))) {
    test(code, async () => {
      const detail = { status: 418, requestId: "req_theirs" };
      service.provider.plays([[{ type: "text", text: "partial" }], fails(code, detail)]);
      const { status, json, text } = await service.create({ input: "Hi" }, withKey(code));
      assert.equal(status, 200, text);
      assert.equal(json.status, "failed");
      assert.deepEqual(json.error, { code, message: `scripted ${code}` });
      const { retryable, ...error } = json["svc:error"];
      assert.equal(typeof retryable, "boolean");
      assert.deepEqual(error, {
        type: "provider",
        code,
        message: `scripted ${code}`,
        provider: "scripted",
        provider_status: 418,
        provider_request_id: "req_theirs",
      });
      assert.equal(json.incomplete_details, null);
      assert.equal(json.output[0].content[0].text, "partial");
      assert.equal(json.output[0].status, "incomplete");
      assert.ok(json.usage.output_tokens > 0, "what was put out is counted");
      assert.equal((await service.request("GET", `/v1/responses/${json.id}`)).text, text);
      const again = await service.create({ input: "Hi" }, withKey(code));
      assert.equal(again.text, text, "the key keeps what it made");
    });
  }

  test("usage is present, zeros when nothing ran", async () => {
    service.provider.plays([fails("provider_client_error")]);
    const { json } = await service.create({ input: "Hi" });
    assert.deepEqual(json.usage, {
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    });
    assert.deepEqual(json.output, []);
  });

  test("a fault of our own is run_failed, its detail in the log alone", async () => {
    service.provider.plays([[{ type: "call_arguments", index: 4, delta: "out of order" }]], [new Error("secret")]);
    for (let round = 0; round < 2; round++) {
      const { status, json, text } = await service.create({ input: "Hi" });
      assert.deepEqual([status, json.status, json.error.code], [200, "failed", "run_failed"]);
      assert.equal(/secret|index 4/.test(text), false);
    }
    assert.ok(service.logged.some(({ error }) => error instanceof Error && error.message === "secret"));
  });

  test("a failed turn adds nothing to its conversation, which goes on from before it", async () => {
    const conversation = await service.request("POST", "/v1/conversations");
    const named = { conversation: conversation.json.id };
    service.provider.plays([[{ type: "text", text: "partial" }], fails("provider_error")]);
    await service.create({ ...named, input: "lost" });
    await service.create({ ...named, input: "kept" });
    const { json } = await service.request("GET", `/v1/conversations/${conversation.json.id}/items`);
    assert.equal(json.data.length, 2);
    assert.equal(service.provider.calls.at(-1)?.prompt.items.length, 1);
  });
});

describe("a provider is asked again only where it certainly did not run and nothing was put out", () => {
  const notRun = fails("provider_unavailable", { certainlyNotRun: true });

  /** Answers how often the provider was asked. */
  async function countCalls(...scripts: Parameters<typeof service.provider.plays>): Promise<[number, number]> {
    const before = service.provider.calls.length;
    service.provider.plays(...scripts);
    const pauses = () => service.logged.filter(({ event }) => event === "provider.retry").length;
    let paused = pauses();
    let isAnswered = false;
    const pending = service.create({ input: "Hi" }).finally(() => {
      isAnswered = true;
    });
    await until("an answer", async () => {
      // Time goes on only where the run waits for it.
      if (pauses() > paused) {
        paused++;
        await service.clock.advance(400);
      }
      return isAnswered;
    });
    return [(await pending).status, service.provider.calls.length - before];
  }

  test("twice at most, then the failure is the answer", async () => {
    assert.deepEqual(await countCalls([notRun], [notRun], [notRun]), [502, 3]);
  });
  test("the second try may succeed", async () => {
    assert.deepEqual(await countCalls([notRun], says("ok")), [200, 2]);
  });
  test("the third try may succeed", async () => {
    assert.deepEqual(await countCalls([notRun], [notRun], says("ok")), [200, 3]);
  });
  test("never when it may have run", async () => {
    assert.deepEqual(await countCalls([fails("provider_unavailable")]), [502, 1]);
  });
  test("never on 429 or 529", async () => {
    assert.deepEqual(await countCalls([fails("provider_rate_limited")]), [429, 1]);
    assert.deepEqual(await countCalls([fails("provider_overloaded")]), [502, 1]);
  });
  test("never once something was put out", async () => {
    assert.deepEqual(await countCalls([[{ type: "text", text: "a" }], notRun]), [502, 1]);
    const call = { type: "call_started", index: 0, callId: "a", name: "f" } as const;
    assert.deepEqual(await countCalls([[call], notRun]), [502, 1]);
  });
  test("not behind the wait", async () => {
    const { opened, open } = gate();
    const before = service.provider.calls.length;
    service.provider.plays([opened, notRun]);
    const pending = service.create({ input: "Hi" });
    await until("the call", () => service.provider.calls.length > before);
    await service.clock.advance(90_000);
    const { json } = await pending;
    open();
    const path = `/v1/responses/${json.id}`;
    await until("the end", async () => (await service.request("GET", path)).json.status === "failed");
    assert.equal(service.provider.calls.length, before + 1);
  });
  test("a cancel between two tries ends it", async () => {
    const before = service.provider.calls.length;
    service.provider.plays([notRun]);
    const pending = service.create({ input: "Hi" });
    await until("the retry's pause", () => service.logged.at(-1)?.event === "provider.retry");
    const { responses = [] } = dumpTables(service.path);
    const { public_id: id } = responses.at(-1) as { public_id: string };
    const cancelled = await service.request("POST", `/v1/responses/${id}/cancel`);
    assert.equal(cancelled.json.status, "cancelled");
    assert.equal((await pending).json.status, "cancelled");
    await service.clock.advance(1000);
    assert.equal(service.provider.calls.length, before + 1);
  });
});

/** A store whose functions of these names fail while `fault` says so. */
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
    await withService({ wrapStore: faulty(["beginTurn", "findClaim"], () => fault) }, async (broken) => {
      const first = await broken.create({ input: "Hi" }, withKey("k"));
      const before = dumpTables(broken.path);
      fault = new StoreError("unavailable", "secret detail");
      for (const answer of [
        await broken.create({ input: "Hi" }),
        await broken.stream({ input: "Hi" }),
        await broken.create({ input: "Hi" }, withKey("k")),
      ]) {
        assertRefused(answer, { status: 503, code: "database_unavailable" });
        assert.equal(answer.headers["retry-after"], "1");
        assert.equal(answer.text.includes("secret"), false);
      }
      assert.deepEqual(dumpTables(broken.path), before);
      fault = null;
      assert.equal((await broken.create({ input: "Hi" }, withKey("k"))).text, first.text);
      assert.equal(broken.provider.calls.length, 1);
    });
  });

  test("a store that answered nonsense: 500 database_error, its detail in the log alone", () =>
    withService(
      { wrapStore: faulty(["beginTurn"], () => new StoreError("failed", "secret detail")) },
      async (broken) => {
        const answer = await broken.create({ input: "Hi" });
        assertRefused(answer, { status: 500, code: "database_error" });
        assert.equal(answer.text.includes("secret"), false);
        assert.ok(broken.logged.some(({ error }) => error instanceof StoreError));
      },
    ));

  test("a fault of our own: 500 internal_server_error, without a word of it", () =>
    withService({ wrapStore: faulty(["beginTurn"], () => new TypeError("secret detail")) }, async (broken) => {
      const answer = await broken.create({ input: "Hi" });
      assertRefused(answer, { status: 500, code: "internal_server_error" });
      assert.equal(/secret|TypeError/.test(answer.text), false);
      const { fields } = broken.logged.at(-1) as { fields: { request_id: string } };
      assert.equal(fields.request_id, answer.headers["x-request-id"]);
    }));

  test("a settlement is tried until it is stored; only then the client hears of the end", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["settleTurn"], () => fault) }, async (broken) => {
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

  test("a stop does not wait for ever for a store that takes no settlement; the next start settles", async () => {
    let fault: Error | null = null;
    const limits = { drain_seconds: 5 };
    await withService({ limits, wrapStore: faulty(["settleTurn"], () => fault) }, async (broken) => {
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
      const rows = dumpTables(broken.path)["responses"] as { completed_at: bigint | null }[];
      assert.deepEqual(
        rows.map(({ completed_at }) => completed_at === null),
        [false],
      );
    });
  });

  test("however many settlements wait for the store, a create hears at once that it is away", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["settleTurn", "beginTurn"], () => fault) }, async (broken) => {
      const count = 100;
      const { opened, open } = gate();
      const scripts = Array.from({ length: count }, () => [opened, FINISHED]);
      broken.provider.plays(...scripts);
      const pending = scripts.map(() => broken.create({ input: "Hi" }));
      await until("the calls", () => broken.provider.calls.length === count);
      fault = new StoreError("unavailable", "away");
      open();
      const failed = () => broken.logged.filter(({ event }) => event === "store.unavailable").length;
      await until("the failed settlements", () => failed() === count);
      for (let asked = 0; asked < 3; asked++) {
        assertRefused(await broken.create({ input: "Hi" }), { status: 503, code: "database_unavailable" });
      }
      fault = null;
      await broken.clock.advance(5000);
      for (const { json } of await Promise.all(pending)) assert.equal(json.status, "completed");
    });
  });

  test("a turn whose end the store cannot keep is a failed response, never a stuck one", async () => {
    let fault: Error | null = null;
    const wrapStore = (store: Store): Store => ({
      ...store,
      settleTurn: (settle) =>
        fault !== null && settle.entersHistory ? Promise.reject(fault) : store.settleTurn(settle),
    });
    await withService({ wrapStore }, async (broken) => {
      fault = new StoreError("failed", "a page of nonsense");
      const { status, json } = await broken.create({ input: "Hi" });
      assert.deepEqual([status, json.status, json.error.code], [200, "failed", "run_failed"]);
      assert.deepEqual((await broken.request("GET", `/v1/responses/${json.id}`)).json, json);
    });
  });

  test("the wait ends and the response cannot be read: 504 request_timeout", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["readTurn"], () => fault) }, async (broken) => {
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
        const answer = await pending;
        assertRefused(answer, { status: 504, code: "request_timeout" });
        assert.equal(answer.headers["x-should-retry"], shouldRetry);
        fault = null;
        open();
      }
    });
  });

  test("a key that cannot be checked is 503 auth_unavailable, never a 401; a mistyped one is told without the store", async () => {
    let fault: Error | null = null;
    await withService({ wrapStore: faulty(["findKey"], () => fault) }, async (broken) => {
      fault = new StoreError("unavailable", "away");
      for (const [method, path] of [
        ["POST", "/v1/responses"],
        ["GET", "/v1/models"],
        ["GET", "/v1/nowhere"],
        ["DELETE", "/v1/conversations/conv_a"],
      ] as const) {
        const answer = await broken.request(method, path, method === "POST" ? { body: { input: "Hi" } } : {});
        assertRefused(answer, { status: 503, code: "auth_unavailable" });
        assert.equal(answer.headers["retry-after"], "1");
      }
      const mistyped = await broken.request("GET", "/v1/models", { key: `${broken.key.slice(0, -1)}!` });
      assertRefused(mistyped, { status: 401, code: "invalid_api_key" });
    });
  });
});
