import assert from "node:assert/strict";
import { after, before, describe, mock, test } from "node:test";
import OpenAI, { APIConnectionError, ConflictError, RateLimitError } from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { CuttingProxy } from "../../support/cutting-proxy.ts";
import { PROVIDERS } from "../providers.ts";
import { bare, Gateway, type Given, onEveryProvider, withGateway } from "./gateway.ts";

/** A second of Retry-After lasts this many milliseconds here. */
const SECOND_MS = 20;

// The client waits half a second and more between attempts: its waits, the only long ones here, are made short.
const { setTimeout: realSetTimeout } = globalThis;
before(() => {
  const hasty = (callback: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) =>
    realSetTimeout(callback, milliseconds >= 300 ? milliseconds / 20 : milliseconds, ...values);
  mock.method(globalThis, "setTimeout", hasty as typeof setTimeout);
});
after(() => mock.restoreAll());

interface Attempt {
  readonly status: number | null;
  readonly key: string | null;
  readonly retryAfter: string | null;
}

/**
 * The client's own fetch, noting every attempt; a second of Retry-After is made short, by the header the client reads
 * first.
 */
function noting(attempts: Attempt[]): typeof fetch {
  return async (input, init) => {
    const key = new Headers(init?.headers).get("idempotency-key");
    const answer = await fetch(input, init).catch((error: unknown) => {
      attempts.push({ status: null, key, retryAfter: null });
      throw error;
    });
    const retryAfter = answer.headers.get("retry-after");
    attempts.push({ status: answer.status, key, retryAfter });
    if (retryAfter === null) return answer;
    const headers = new Headers(answer.headers);
    headers.set("retry-after-ms", String(Number(retryAfter) * SECOND_MS));
    return new Response(answer.body, { status: answer.status, headers });
  };
}

onEveryProvider((given) => {
  const { model } = given;
  let proxy: CuttingProxy;
  before(async () => {
    proxy = await CuttingProxy.start(given.service.baseUrl);
  });
  after(() => proxy.close());

  function throughProxy(attempts: Attempt[], maxRetries = 2): Gateway {
    return given.connect({ baseURL: `${proxy.baseUrl}/v1`, maxRetries, fetch: noting(attempts) });
  }

  test("a retry after a lost reply sends the same key and gets the first response", async () => {
    const attempts: Attempt[] = [];
    const client = throughProxy(attempts);
    const { id: conversation } = await given.client.conversations.create();
    proxy.cutNext(0);
    const created = await client.responses.create({ model, input: "once", conversation });
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [null, 200],
    );
    assert.ok(attempts[0]?.key);
    assert.equal(attempts[0].key, attempts[1]?.key);
    assert.equal(created.output_text, "once");
    const { data } = await given.client.conversations.items.list(conversation);
    assert.equal(data.length, 2);
    assert.deepEqual(bare(data[1]), bare(created.output[0]));
  });

  test("without the key a retry after a lost reply creates a second response", async () => {
    const client = new OpenAI({ baseURL: `${proxy.baseUrl}/v1`, apiKey: given.service.key, maxRetries: 1 });
    const { id: conversation } = await given.client.conversations.create();
    proxy.cutNext(0);
    await client.responses.create({ model, input: "twice", conversation });
    const { data } = await given.client.conversations.items.list(conversation);
    assert.equal(data.length, 4);
  });

  test("while the first request runs, its retry gets a 409 and is retried", async () => {
    const attempts: Attempt[] = [];
    const client = throughProxy(attempts, 1000);
    const { id: conversation } = await given.client.conversations.create();
    const { clock } = given.service;
    const timersBefore = clock.pending;
    const pending = client.responses.create({ model, input: "/stream 60 12", conversation });
    // The response's own deadline, and the end of the wait.
    while (clock.pending < timersBefore + 2) await new Promise((resolve) => setImmediate(resolve));
    proxy.dropAll();
    const created = await pending;
    assert.equal(created.output_text, Array.from({ length: 60 }, (_, index) => `${index + 1} `).join(""));
    assert.equal(attempts[0]?.status, null);
    assert.equal(attempts.at(-1)?.status, 200);
    for (const { status, retryAfter } of attempts.slice(1, -1)) assert.deepEqual([status, retryAfter], [409, "1"]);
    assert.equal(new Set(attempts.map(({ key }) => key)).size, 1);
    assert.equal((await given.client.conversations.items.list(conversation)).data.length, 2);
  });

  test("a stream that broke off is replayed by its key: the same response, whole", async () => {
    const client = throughProxy([]);
    const options = { idempotencyKey: `broken stream on ${given.provider.name}` };
    const body = { model, input: "/say some words\n/tool f {}", stream: true } as const;
    proxy.holdNext(2500);
    const ids: string[] = [];
    const broken = async () => {
      for await (const event of await client.responses.create(body, options)) note(event);
    };
    await assert.rejects(broken());
    assert.equal(ids.length, 1);
    const again = await client.responses.stream({ model, input: body.input }, options).finalResponse();
    assert.deepEqual([again.id, again.status], [ids[0], "completed"]);
    assert.deepEqual(bare(again), bare(await given.client.responses.retrieve(again.id)));

    function note(event: ResponseStreamEvent): void {
      if (event.type !== "response.created") return;
      ids.push(event.response.id);
      proxy.dropAll();
    }
  });

  test("a conversation, its metadata and its items are created once", async () => {
    const attempts: Attempt[] = [];
    const { conversations } = throughProxy(attempts);
    proxy.cutNext(0);
    const { id } = await conversations.create({ items: [{ role: "user", content: "one" }] });
    proxy.cutNext(0);
    const added = await conversations.items.create(id, { items: [{ role: "user", content: "two" }] });
    proxy.cutNext(0);
    await conversations.update(id, { metadata: { a: "b" } });
    const { data } = await given.client.conversations.items.list(id);
    assert.equal(data.length, 2);
    assert.equal(data[1]?.id, added.data[0]?.id);
    assert.equal(attempts.length, 6);
  });

  test("a response that a provider rate-limited is retried after its Retry-After", async () => {
    const attempts: Attempt[] = [];
    const client = given.connect({ maxRetries: 2, fetch: noting(attempts) });
    const input = "/fail provider_rate_limited retry_after=3";
    await assert.rejects(client.responses.create({ model, input }), RateLimitError);
    assert.deepEqual(
      attempts.map(({ status, retryAfter }) => [status, retryAfter]),
      [
        [429, "3"],
        [429, "3"],
        [429, "3"],
      ],
    );
  });
});

const [anyProvider] = PROVIDERS;
if (anyProvider === undefined) throw new Error("there is no provider");

describe("on any provider", () => {
  let rejections = 0;
  withGateway(anyProvider, flows, { isOverloaded: () => rejections-- > 0 });

  function flows(given: Given): void {
    const { model } = given;

    test("a request to an overloaded service is retried after its Retry-After", async () => {
      const attempts: Attempt[] = [];
      const client = given.connect({ maxRetries: 2, fetch: noting(attempts) });
      rejections = 2;
      const created = await client.responses.create({ model, input: "x" });
      assert.equal(created.status, "completed");
      assert.deepEqual(
        attempts.map(({ status, retryAfter }) => [status, retryAfter]),
        [
          [503, "1"],
          [503, "1"],
          [200, null],
        ],
      );
    });

    test("an error that a retry can't fix is not retried, whatever its status", async () => {
      const attempts: Attempt[] = [];
      const options = { maxRetries: 5, fetch: noting(attempts) };
      const { organizationId } = await given.service.newOrganization({ plan: false });
      const { secret } = await given.service.newKey(organizationId);
      const poor = given.connect({ ...options, apiKey: secret });
      await assert.rejects(poor.responses.create({ model, input: "x" }), RateLimitError);
      const client = given.connect(options);
      await client.responses.create({ model, input: "x" }, { idempotencyKey: "conflict" });
      const other = client.responses.create({ model, input: "y" }, { idempotencyKey: "conflict" });
      await assert.rejects(other, ConflictError);
      assert.deepEqual(
        attempts.map(({ status }) => status),
        [429, 200, 409],
      );
    });

    test("an unreachable service is an APIConnectionError after all retries", async () => {
      const client = given.connect({ baseURL: "http://127.0.0.1:9/v1", maxRetries: 1 });
      await assert.rejects(client.responses.create({ model, input: "x" }), APIConnectionError);
    });
  }
});
