// POST /v1/responses: failures of the provider, the store and the service itself.
// @spec errors; docs/wire.md (Provider failures, Provider retries); docs/reliability.md, F-42
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FAILURE_CODES } from "../../../src/contract/failures.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { fails, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpWithoutNotices } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

const WITHDRAWN = [
  { code: "provider_rate_limited", status: 429 },
  { code: "provider_overloaded", status: 502 },
  { code: "provider_unavailable", status: 502 },
] as const;

/** The failures after which the same request may succeed. */
const RETRYABLE = new Set<string>([
  "provider_error",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_unavailable",
  "run_failed",
]);

const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

describe("the three provider failures that are HTTP errors withdraw the response", () => {
  for (const { code, status } of WITHDRAWN) {
    test(`${code}: no trace, the key is free again for another body`, async () => {
      const conversation = await service.request("POST", "/v1/conversations");
      const body = { conversation: conversation.json.id, input: "Hi" };
      const before = await dumpWithoutNotices(service);
      service.provider.plays([[{ type: "text", text: "partial" }], fails(code)]);
      assertApiError(await service.create(body, withKey(code)), {
        status,
        code,
        message: new RegExp(`scripted ${code}`),
      });
      assert.deepEqual(await dumpWithoutNotices(service), before);
      const other = await service.create({ ...body, input: "Another" }, withKey(code));
      assert.equal(other.status, 200, other.text);
      assert.deepEqual(service.provider.calls.at(-1)?.prompt.items.length, 1);
    });
  }

  test("Retry-After is the provider's, unchanged, if it sent one", async () => {
    service.provider.plays([fails("provider_rate_limited", { retryAfterSeconds: 7, status: 429 })]);
    const timed = await service.create({ input: "Hi" });
    assertApiError(timed, { status: 429, code: "provider_rate_limited" });
    assert.equal(timed.headers["retry-after"], "7");
    service.provider.plays([fails("provider_rate_limited")]);
    const untimed = await service.create({ input: "Hi" });
    assert.equal("retry-after" in untimed.headers, false);
    service.provider.plays([fails("provider_rate_limited", { retryAfterSeconds: 3600 })]);
    assert.equal((await service.create({ input: "Hi" })).headers["retry-after"], "3600");
    service.provider.plays([fails("provider_overloaded", { retryAfterSeconds: 7 })]);
    assert.equal("retry-after" in (await service.create({ input: "Hi" })).headers, false);
  });

  test("x-should-retry is false if the cause lasts", async () => {
    for (const { code, status } of WITHDRAWN) {
      service.provider.plays([fails(code, { isLasting: true })], [fails(code)]);
      const lasting = await service.create({ input: "Hi" });
      assertApiError(lasting, { status, code });
      assert.equal(lasting.headers["x-should-retry"], "false");
      assert.equal("x-should-retry" in (await service.create({ input: "Hi" })).headers, false);
    }
  });

  test("streaming they are failed responses, retryable unless the cause lasts", async () => {
    for (const { code } of WITHDRAWN) {
      service.provider.plays([fails(code, { isLasting: true })]);
      const failed = (await service.stream({ input: "Hi" })).events.at(-1)?.data.response;
      assert.deepEqual([failed.error.code, failed["svc:error"].retryable], [code, false]);
      service.provider.plays([[{ type: "text", text: "partial" }], fails(code)]);
      const { status, events } = await service.stream({ input: "Hi" });
      assert.equal(status, 200);
      const last = events.at(-1);
      assert.equal(last?.data.response["svc:error"].retryable, true);
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
      assert.equal(retryable, RETRYABLE.has(code));
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

  test("usage is present, with zeros when nothing ran", async () => {
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

  test("an internal error is run_failed, its detail only in the log", async () => {
    service.provider.plays([[{ type: "call_arguments", index: 4, delta: "out of order" }]], [new Error("secret")]);
    for (let round = 0; round < 2; round++) {
      const { status, json, text } = await service.create({ input: "Hi" });
      assert.deepEqual([status, json.status, json.error.code], [200, "failed", "run_failed"]);
      assert.equal(/secret|index 4/.test(text), false);
    }
    assert.ok(service.logged.some(({ error }) => error instanceof Error && error.message === "secret"));
  });

  test("a failed response adds nothing to its conversation, which goes on from before it", async () => {
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

describe("a provider call is retried only when it certainly did not run and there is no output", () => {
  const notRun = fails("provider_unavailable", { certainlyNotRun: true });

  /** Returns how often the provider was called. */
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
      // Time advances only where the run waits for it.
      if (pauses() > paused) {
        paused++;
        await service.clock.advance(400);
      }
      return isAnswered;
    });
    return [(await pending).status, service.provider.calls.length - before];
  }

  test("twice at most, then the failure stands", async () => {
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
  test("never once there is output", async () => {
    assert.deepEqual(await countCalls([[{ type: "text", text: "a" }], notRun]), [502, 1]);
    const call = { type: "call_started", index: 0, callId: "a", name: "f" } as const;
    assert.deepEqual(await countCalls([[call], notRun]), [502, 1]);
  });
  test("not after the wait", async () => {
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
    const { responses = [] } = await dumpWithoutNotices(service);
    const { public_id: id } = responses.at(-1) as { public_id: string };
    const cancelled = await service.request("POST", `/v1/responses/${id}/cancel`);
    assert.equal(cancelled.json.status, "cancelled");
    assert.equal((await pending).json.status, "cancelled");
    await service.clock.advance(1000);
    assert.equal(service.provider.calls.length, before + 1);
  });
});
