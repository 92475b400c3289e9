// POST /v1/responses with an Idempotency-Key: a response runs once. @spec limits (Idempotency rules); docs/wire.md
// (Idempotency)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Store, StoreError } from "../../../src/ports/store/store.ts";
import { aroundStore } from "../../support/around-store.ts";
import type { Reply } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, fails, gate } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { dumpTables, runSql } from "../../support/tables.ts";
import { until } from "../../support/until.ts";
import { TESTS } from "../../support/actor.ts";
import { CONFLICT, IN_PROGRESS, newKey } from "./idempotent.ts";
import { output } from "./tool-loop.ts";

const service = await serviceForFile();

const asked = () => service.provider.calls.length;

describe("409 idempotency_conflict", () => {
  test("another body, which learns nothing of the first request", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    for (const body of [
      { input: "Ho" },
      { input: "Hi", stream: true },
      { input: "Hi", metadata: {} },
      { input: "Hi", unknown: 1 },
    ]) {
      const answer = await service.create(body, key);
      assertApiError(answer, CONFLICT);
      assert.equal(answer.headers["x-should-retry"], "false");
      assert.equal(answer.text.includes(first.json.id), false);
    }
    assert.equal((await service.create({ input: "Hi" }, key)).text, first.text);
  });

  test("another API key of the organization, which cannot read the first result", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    const { secret } = await service.newKey();
    const answer = await service.create({ input: "Hi" }, { ...key, key: secret });
    assertApiError(answer, CONFLICT);
    assert.equal(answer.text.includes(first.json.id), false);
  });

  test("a result that was deleted, by itself or with its conversation", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    await service.request("DELETE", `/v1/responses/${first.json.id}`);
    assertApiError(await service.create({ input: "Hi" }, key), CONFLICT);

    const conversation = await service.request("POST", "/v1/conversations");
    const body = { input: "Hi", conversation: conversation.json.id };
    const streamKey = newKey();
    await service.stream(body, streamKey);
    await service.request("DELETE", `/v1/conversations/${conversation.json.id}`);
    assertApiError(await service.stream(body, streamKey), CONFLICT);
  });
});

describe("409 idempotency_in_progress while the first may still wait for its reply, 200 afterwards", () => {
  test("not streaming: 90 seconds", async () => {
    const key = newKey();
    const open = service.provider.playsLater("late");
    const before = asked();
    const pending = service.create({ input: "Hi" }, key);
    await until("the call", () => asked() > before);
    const early = await service.create({ input: "Hi" }, key);
    assertApiError(early, IN_PROGRESS);
    assert.deepEqual([early.headers["retry-after"], early.headers["x-should-retry"]], ["1", "true"]);
    assertApiError(await service.create({ input: "Ho" }, key), CONFLICT);
    await service.clock.advance(90_000);
    const first = await pending;
    const running = await service.create({ input: "Hi" }, key);
    assert.deepEqual([running.status, running.json.status], [200, "in_progress"]);
    assert.equal(running.text, first.text);
    open();
    await until("the end", async () => (await service.create({ input: "Hi" }, key)).json.status === "completed");
    assert.equal(asked(), before + 1);
  });

  test("streaming: 300 seconds; then the retry's stream waits for the end", async () => {
    const key = newKey();
    const open = service.provider.playsLater("late");
    const before = asked();
    const first = await LiveStream.open(service, {}, key);
    await first.sees("response.in_progress");
    assertApiError(await service.stream({ input: "hi" }, key), IN_PROGRESS);
    await service.clock.advance(300_000);
    await first.closed;
    assert.equal(first.events.at(-1)?.event, "error");
    const unresolved = await LiveStream.open(service, {}, key);
    await unresolved.sees("response.in_progress");
    assert.equal(unresolved.id, first.id, "its id is sent at once");
    await service.clock.advance(300_000);
    await unresolved.closed;
    assert.deepEqual(
      unresolved.events.map(({ event }) => event),
      ["response.created", "response.in_progress", "error"],
    );
    const again = await LiveStream.open(service, {}, key);
    open();
    await again.closed;
    assert.equal(again.id, first.id);
    assert.equal(again.events.at(-1)?.event, "response.completed");
    assert.equal(asked(), before + 1);
  });
});

describe("a rejected request does not consume its key", () => {
  const rejections: readonly (readonly [string, object])[] = [
    ["400", { input: "" }],
    ["400 of a model", { input: "Hi", model: "nope" }],
    ["400 context_length_exceeded", { input: "x".repeat(500_000) }],
    ["404", { input: "Hi", conversation: "conv_none" }],
  ];
  for (const [name, body] of rejections) {
    test(name, async () => {
      const key = newKey();
      const rejected = await service.create(body, key);
      assert.equal(rejected.status, Number(name.slice(0, 3)));
      assert.equal((await service.create({ input: "Hi" }, key)).status, 200);
    });
  }

  test("nor does a key that is malformed, revoked or out of credits", async () => {
    const key = newKey();
    const { organizationId } = await service.newOrganization({ credits: 0n });
    const { secret } = await service.newKey(organizationId);
    assert.equal((await service.create({ input: "Hi" }, { ...key, key: secret })).status, 429);
    await service.store.addCredits({ by: TESTS, transactionId: "t", organizationId, amountNano: 1n, createdAt: 1 });
    assert.equal((await service.create({ input: "Ho" }, { ...key, key: secret })).status, 200);
  });
});

test("a retry that finds the first request being withdrawn does not hear that its result was deleted", async () => {
  const around = aroundStore();
  await withService({ wrapStore: around.wrapStore }, async (watched) => {
    const key = newKey();
    const { opened, open } = gate();
    watched.provider.plays([opened, fails("provider_overloaded")]);
    const pending = watched.create({ input: "Hi" }, key);
    await until("the call", () => watched.provider.calls.length === 1);
    // The retry reads the claim, then the response is withdrawn, then it looks for the response.
    around.beforeRead = async () => {
      open();
      await pending;
    };
    const retry = await watched.create({ input: "Hi" }, key);
    assert.equal((await pending).status, 502);
    assertApiError(retry, IN_PROGRESS);
    assert.equal((await watched.create({ input: "Hi" }, key)).status, 200);
    assert.equal(watched.provider.calls.length, 2);
  });
});

test("a retry gets no response that may still be withdrawn: the first waits from the commit of its claim", async () => {
  const around = aroundStore();
  await withService({ wrapStore: around.wrapStore }, async (watched) => {
    const key = newKey();
    const { opened, open } = gate();
    watched.provider.plays([opened, fails("provider_overloaded")]);
    around.begin = (real) => async (begin) => {
      const outcome = await real(begin);
      await watched.clock.advance(5000);
      return outcome;
    };
    const first = watched.create({ input: "Hi" }, key);
    await until("the call", () => watched.provider.calls.length === 1);
    around.begin = null;
    await watched.clock.advance(86_000);
    assertApiError(await watched.create({ input: "Hi" }, key), IN_PROGRESS);
    await watched.clock.advance(4000);
    const waited = await first;
    assert.deepEqual([waited.status, waited.json.status], [200, "in_progress"]);
    assert.equal((await watched.create({ input: "Hi" }, key)).text, waited.text);
    open();
    const isFailed = async () => (await watched.create({ input: "Hi" }, key)).json.status === "failed";
    await until("the failure", isFailed);
  });
});

test("a retry is a twin of the request that has begun since the one that it had found was withdrawn", async () => {
  const around = aroundStore();
  await withService({ wrapStore: around.wrapStore }, async (watched) => {
    const key = newKey();
    const { opened, open } = gate();
    watched.provider.plays([opened, fails("provider_overloaded")]);
    const first = watched.create({ input: "Hi" }, key);
    await until("the call", () => watched.provider.calls.length === 1);
    let third: Promise<Reply> | null = null;
    const finish = watched.provider.playsLater("done");
    // The second has read the claim of the first, which is withdrawn; the third begins.
    around.beforeRead = async () => {
      open();
      assert.equal((await first).status, 502);
      third = watched.create({ input: "Hi" }, key);
      await until("the second call", () => watched.provider.calls.length === 2);
    };
    assertApiError(await watched.create({ input: "Hi" }, key), IN_PROGRESS);
    finish();
    const { json } = await third!;
    assert.equal(json.status, "completed");
    assert.deepEqual((await watched.create({ input: "Hi" }, key)).json, json);
  });
});

test("a request whose plan failed on a twin that was withdrawn meanwhile is planned again", async () => {
  let beforeSecondLook: (() => Promise<void>) | null = null;
  let looks = 0;
  const wrapStore = (store: Store): Store => ({
    ...store,
    findClaim: async (query) => {
      if (++looks === 2) await beforeSecondLook?.();
      return store.findClaim(query);
    },
  });
  await withService({ wrapStore }, async (watched) => {
    watched.provider.plays(calls({ callId: "call_a" }));
    const tools = [{ type: "function", name: "look_up" }];
    const maker = (await watched.create({ input: "Hi", tools })).json.id;
    const body = { previous_response_id: maker, input: [output("call_a")] };
    const { opened, open } = gate();
    watched.provider.plays([opened, fails("provider_overloaded")]);
    const key = newKey();
    const first = watched.create(body, key);
    await until("the call", () => watched.provider.calls.length === 2);
    // With another key: a request with the same key finds the claim, and is not planned.
    looks = 0;
    beforeSecondLook = async () => {
      open();
      assert.equal((await first).status, 502);
    };
    const second = await watched.create(body, newKey());
    assert.deepEqual([second.status, second.json.status], [200, "completed"]);
  });
});

test("a response of a process that died is failed as run_failed and never sent again", async () => {
  await withService({}, async (crashed) => {
    const key = newKey();
    const first = await crashed.create({ input: "Hi" }, key);
    // The state that a process killed in the middle of the response leaves.
    await runSql(
      crashed,
      "update responses set status = 'in_progress', owner = 1, completed_at = null, first_position = null, last_position = null, ending = null where public_id = :id",
      { id: first.json.id },
    );
    await crashed.restart();
    const again = await crashed.create({ input: "Hi" }, key);
    assert.deepEqual([again.status, again.json.id, again.json.status], [200, first.json.id, "failed"]);
    assert.equal(again.json.error.code, "run_failed");
    assert.equal(again.json.usage.total_tokens, 0);
    assert.equal(crashed.provider.calls.length, 1);
    assert.equal((await crashed.request("GET", `/v1/responses/${first.json.id}`)).text, again.text);
  });
});

test("a begin whose outcome was lost leaves no claim without a response", async () => {
  let lose = true;
  const wrapStore = (store: Store): Store => ({
    ...store,
    beginResponse: async (begin) => {
      if (lose) throw new StoreError("unavailable", "away");
      return store.beginResponse(begin);
    },
  });
  await withService({ wrapStore }, async (broken) => {
    const key = newKey();
    assert.equal((await broken.create({ input: "Hi" }, key)).status, 503);
    assert.deepEqual((await dumpTables(broken))["claims"], []);
    lose = false;
    assert.equal((await broken.create({ input: "Hi" }, key)).status, 200);
    assert.equal(broken.provider.calls.length, 1);
  });
});
