// Payment and allowances of an organization. @spec errors, limits
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NO_LIMITS, type OrganizationLimits } from "../../../src/ports/store/limits.ts";
import type { Reply } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { fails, FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile, type TestService, withService } from "../../support/service.ts";
import { runSql } from "../../support/tables.ts";
import { until } from "../../support/until.ts";
import { TESTS } from "../../support/actor.ts";

const service = await serviceForFile();

async function keyOf(
  organization: Parameters<typeof service.newOrganization>[0],
  limits: Partial<OrganizationLimits> = {},
) {
  const { organizationId } = await service.newOrganization(organization);
  await service.store.updateOrganization({ by: TESTS, organizationId, limits: { ...NO_LIMITS, ...limits } });
  return (await service.newKey(organizationId)).secret;
}

const rates = ({ headers }: Reply) =>
  ["limit", "remaining", "reset"].map((name) => headers[`x-ratelimit-${name}-requests`]);

describe("a create needs a payment method, a plan and a balance; nothing else does", () => {
  const rows = [
    ["no payment method", { paymentMethod: false, plan: false }, 402, "payment_method_required", /payment method/],
    ["no plan", { plan: false }, 429, "insufficient_quota", /no active plan/],
    ["no credits", { credits: 0n }, 429, "insufficient_quota", /credit balance.*0\.0 credits/],
  ] as const;
  for (const [name, organization, status, code, message] of rows) {
    test(name, async () => {
      const key = await keyOf(organization);
      for (const stream of [false, true]) {
        const reply = await service.create({ input: "Hi", stream }, { key });
        assertApiError(reply, { status, code, message });
        assert.equal(reply.headers["x-should-retry"], "false");
        assert.deepEqual(rates(reply), ["60000", "60000", "0ms"]);
      }
      assert.equal((await service.request("GET", "/v1/models", { key })).status, 200);
      const conversation = await service.request("POST", "/v1/conversations", { key });
      assert.equal(conversation.status, 200);
      const path = `/v1/conversations/${conversation.json.id}`;
      assert.equal((await service.request("GET", path, { key })).status, 200);
      assert.equal((await service.request("DELETE", path, { key })).status, 200);
    });
  }

  test("insufficient_quota is a type of its own", async () => {
    const reply = await service.create({ input: "Hi" }, { key: await keyOf({ plan: false }) });
    assert.equal(reply.json.error.type, "insufficient_quota");
  });
});

describe("allowances: one each for creating, retrieving, deleting", () => {
  test("every POST but cancel draws on create; headers count down and say when the allowance is full again", async () => {
    const key = await keyOf({}, { createPerMinute: 4 });
    const conversation = await service.request("POST", "/v1/conversations", { key });
    assert.deepEqual(rates(conversation), ["4", "3", "15s"]);
    const path = `/v1/conversations/${conversation.json.id}`;
    const labelled = await service.request("POST", path, { key, body: { metadata: {} } });
    assert.deepEqual(rates(labelled), ["4", "2", "30s"]);
    const added = await service.request("POST", `${path}/items`, { key, body: { items: [] } });
    assert.deepEqual(rates(added), ["4", "1", "45s"]);
    const rejected = await service.create({}, { key });
    assertApiError(rejected, { status: 400, code: "invalid_input", param: "input" });
    assert.deepEqual(rates(rejected), ["4", "0", "1m0s"]);
    for (const stream of [false, true]) {
      const limited = await service.create({ input: "Hi", stream }, { key });
      assertApiError(limited, { status: 429, code: "rate_limit_exceeded", message: /4 create requests a minute/ });
      assert.deepEqual(rates(limited), ["4", "0", "1m0s"]);
      assert.equal(limited.headers["retry-after"], "15");
    }
    await service.clock.advance(15_000);
    assert.equal((await service.create({ input: "Hi" }, { key })).status, 200);
    assert.equal((await service.create({ input: "Hi" }, { key })).status, 429);
  });

  test("Retry-After is whole seconds, rounded up: 100 ms is 1", async () => {
    for (const [perMinute, retryAfter] of [
      [600, "1"],
      [50, "2"],
    ] as const) {
      const key = await keyOf({}, { createPerMinute: perMinute });
      const replies: Reply[] = [];
      // No more at once than a slow store serves in time.
      for (let left = perMinute + 1; left > 0; left -= 50) {
        const batch = { length: Math.min(left, 50) };
        const made = Array.from(batch, () => service.request("POST", "/v1/conversations", { key }));
        replies.push(...(await Promise.all(made)));
      }
      const limited = replies.filter(({ status }) => status === 429);
      assert.deepEqual(
        limited.map(({ headers }) => headers["retry-after"]),
        [retryAfter],
      );
    }
    service.provider.plays([fails("provider_rate_limited", { retryAfterSeconds: 0.1 })]);
    assert.equal((await service.create({ input: "Hi" })).headers["retry-after"], "1");
  });

  test("every GET but models draws on retrieve", async () => {
    const key = await keyOf({}, { retrievePerMinute: 2 });
    const { json } = await service.create({ input: "Hi" }, { key });
    assert.equal((await service.request("GET", `/v1/responses/${json.id}`, { key })).status, 200);
    assert.equal((await service.request("GET", "/v1/conversations/conv_a/items", { key })).status, 404);
    const limited = await service.request("GET", `/v1/responses/${json.id}`, { key });
    assertApiError(limited, { status: 429, code: "rate_limit_exceeded" });
    for (let round = 0; round < 5; round++) {
      const models = await service.request("GET", "/v1/models", { key });
      assert.equal(models.status, 200);
      assert.deepEqual(rates(models), [undefined, undefined, undefined]);
    }
    assert.equal((await service.create({ input: "Hi" }, { key })).status, 200);
  });

  test("DELETE and cancel draw on delete", async () => {
    const key = await keyOf({}, { deletePerMinute: 2 });
    const { json } = await service.create({ input: "Hi" }, { key });
    const path = `/v1/responses/${json.id}`;
    assert.equal((await service.request("POST", `${path}/cancel`, { key })).status, 200);
    assert.equal((await service.request("DELETE", path, { key })).status, 200);
    assertApiError(await service.request("DELETE", path, { key }), { status: 429, code: "rate_limit_exceeded" });
    assertApiError(await service.request("POST", `${path}/cancel`, { key }), {
      status: 429,
      code: "rate_limit_exceeded",
    });
    assert.equal((await service.request("GET", path, { key })).status, 404);
  });

  test("an allowance is the organization's: its keys share it, others have their own", async () => {
    const { organizationId } = await service.newOrganization();
    await service.store.updateOrganization({ by: TESTS, organizationId, limits: { ...NO_LIMITS, createPerMinute: 1 } });
    const one = await service.newKey(organizationId);
    const other = await service.newKey(organizationId);
    assert.equal((await service.create({ input: "Hi" }, { key: one.secret })).status, 200);
    assert.equal((await service.create({ input: "Hi" }, { key: other.secret })).status, 429);
    assert.equal((await service.create({ input: "Hi" })).status, 200);
  });

  test("streams have the headers too", async () => {
    const key = await keyOf({}, { createPerMinute: 5 });
    assert.deepEqual(rates(await service.stream({ input: "Hi" }, { key })), ["5", "4", "12s"]);
  });

  test("an allowance of zero rejects with a minute's Retry-After", async () => {
    const key = await keyOf({}, { createPerMinute: 0 });
    const limited = await service.create({ input: "Hi" }, { key });
    assertApiError(limited, { status: 429, code: "rate_limit_exceeded" });
    assert.equal(limited.headers["retry-after"], "60");
  });
});

describe("open streams", () => {
  const LIMIT = { status: 429, code: "stream_limit_exceeded", message: /2 open streams/ };

  test("the organization's limit rejects a further one until one has ended; responses without a stream are not limited", async () => {
    const key = await keyOf({}, { openStreams: 2 });
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED], [opened, FINISHED]);
    const first = await LiveStream.open(service, {}, { key });
    const second = await LiveStream.open(service, {}, { key });
    const asked = service.provider.calls.length;
    const rejected = await service.stream({ input: "Hi" }, { key });
    assertApiError(rejected, LIMIT);
    assert.equal(rejected.headers["x-should-retry"], "true");
    assert.equal(service.provider.calls.length, asked);
    assert.equal((await service.create({ input: "Hi" }, { key })).status, 200);
    assert.equal((await service.stream({ input: "Hi" })).status, 200);
    open();
    await Promise.all([first.closed, second.closed]);
    assert.equal((await service.stream({ input: "Hi" }, { key })).status, 200);
  });

  test("a dropped client frees its place while its response goes on", async () => {
    const key = await keyOf({}, { openStreams: 1 });
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const dropped = await LiveStream.open(service, {}, { key });
    await dropped.sees("response.in_progress");
    dropped.drop();
    await until("a free place", async () => (await service.stream({ input: "Hi" }, { key })).status === 200);
    open();
    const { id } = dropped;
    await until("the end", async () => {
      return (await service.request("GET", `/v1/responses/${id}`, { key })).json.status === "completed";
    });
  });

  test("a rejected or replayed create holds no place afterwards", async () => {
    const key = await keyOf({}, { openStreams: 1 });
    const headers = { "idempotency-key": "k" };
    for (let round = 0; round < 3; round++) {
      assert.equal((await service.stream({ input: "" }, { key })).status, 400);
      assert.equal((await service.stream({ input: "x".repeat(500_000) }, { key })).status, 400);
      assert.equal((await service.stream({ input: "Hi", previous_response_id: "resp_a" }, { key })).status, 404);
      assert.equal((await service.stream({ input: "Hi" }, { key, headers })).status, 200);
    }
  });
});

describe("turns at once", () => {
  const TAKEN = { status: 429, code: "rate_limit_exceeded" } as const;

  /** Begins responses, of which the running ones do not end until `open` is called, and cuts their connections. */
  async function hold(held: TestService, key: string, running: number, queued = 0): Promise<() => void> {
    const { opened, open } = gate();
    held.provider.plays(...Array.from({ length: running }, () => [opened, FINISHED] as never));
    for (let turn = 0; turn < running + queued; turn++) {
      const stream = await LiveStream.open(held, {}, { key });
      await stream.sees("response.created");
      stream.drop();
    }
    return open;
  }

  test("the organization's own limit rejects a further response until one has ended, a retry gets its response", async () => {
    const key = await keyOf({}, { concurrentResponses: 2 });
    const headers = { "idempotency-key": "first" };
    assert.equal((await service.create({ input: "Hi" }, { key, headers })).status, 200);
    const open = await hold(service, key, 2);
    const rejected = await service.create({ input: "Hi" }, { key });
    assertApiError(rejected, { ...TAKEN, message: /2 responses running or queued and may have 2 at once/ });
    assert.deepEqual([rejected.headers["retry-after"], rejected.headers["x-should-retry"]], ["1", "true"]);
    assertApiError(await service.create({ input: "Hi" }, { key, headers: { "idempotency-key": "new" } }), TAKEN);
    assert.equal((await service.create({ input: "Hi" }, { key, headers })).status, 200);
    assert.equal((await service.create({ input: "Hi" })).status, 200);
    open();
    await until("the end", async () => (await service.create({ input: "Hi" }, { key })).status === 200);
  });

  test("an organization that an earlier version stored has no limit of its own", async () => {
    const key = await keyOf({});
    await runSql(service, "update organizations set limits = :limits", { limits: '{"openStreams":null}' });
    assert.equal((await service.stream({ input: "Hi" }, { key })).status, 200);
  });

  test("a rejected create is rejected before its body is read", async () => {
    const key = await keyOf({}, { concurrentResponses: 1 });
    const open = await hold(service, key, 1);
    assertApiError(await service.request("POST", "/v1/responses", { key, body: "no JSON" }), TAKEN);
    open();
  });

  test("a key that takes all it can, its connections cut, leaves slots to others", () =>
    withService({ limits: { concurrent_turns: 10, queued_turns: 5 } }, async (busy) => {
      const { organizationId } = await busy.newOrganization();
      const { secret: key } = await busy.newKey(organizationId);
      // 80 % of the slots, and of the places in the queue.
      const open = await hold(busy, key, 8, 4);
      assert.deepEqual([busy.gateway.occupancy().responsesRunning, busy.gateway.occupancy().responsesQueued], [8, 4]);
      const rejected = await busy.create({ input: "Hi" }, { key });
      assertApiError(rejected, { ...TAKEN, message: /12 responses running or queued.*its share of the service/ });
      assert.equal((await busy.create({ input: "Hi" })).status, 200);
      open();
      await until("the end", () => busy.gateway.occupancy().responsesRunning === 0);
    }));
});
