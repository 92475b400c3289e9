// POST /v1/responses with an Idempotency-Key: once, whatever happens. @spec limits (Idempotency rules); docs/wire.md, rule 10
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { type Store, StoreError } from "../../../src/ports/store.ts";
import { readFrames } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertRefused } from "../../support/refused.ts";
import { calls, fails, gate, says } from "../../support/scripted-provider.ts";
import { TestService, withService } from "../../support/service.ts";
import { dumpTables, tamper } from "../../support/tables.ts";
import { until } from "../../support/until.ts";
import { without } from "../../support/without.ts";
import { TESTS } from "../../support/actor.ts";

const service = await TestService.start();
after(() => service.close());

const CONFLICT = { status: 409, code: "idempotency_conflict" };
const IN_PROGRESS = { status: 409, code: "idempotency_in_progress" };
let made = 0;
const newKey = () => ({ headers: { "idempotency-key": `key ${++made}` } });
const asked = () => service.provider.calls.length;

describe("a retry with the same key and body", () => {
  test("answers with the first response; the model ran once", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    const before = asked();
    const again = await service.create({ input: "Hi" }, key);
    assert.equal(again.text, first.text);
    assert.equal(asked(), before);
  });

  test("may spell its JSON otherwise", async () => {
    const key = newKey();
    const first = await service.request("POST", "/v1/responses", {
      ...key,
      body: '{"model":"test/all","input":"Hi","metadata":{"a":"1","b":"2"}}',
    });
    const again = await service.request("POST", "/v1/responses", {
      ...key,
      body: '{ "metadata": {"b": "\\u0032", "a": "1"},\n "input": "Hi", "model": "test/all" }',
    });
    assert.equal(again.text, first.text);
  });

  test("is answered for a tool answer too", async () => {
    service.provider.plays(calls({ callId: "a" }), says("Done"));
    const first = await service.create({ input: "Hi", tools: [{ type: "function", name: "look_up" }] });
    const body = {
      input: [{ type: "function_call_output", call_id: "a", output: "x" }],
      previous_response_id: first.json.id,
    };
    const key = newKey();
    const answer = await service.create(body, key);
    const before = asked();
    assert.equal((await service.create(body, key)).text, answer.text);
    assert.equal(asked(), before);
  });

  test("of a failed response answers with that failed response", async () => {
    const key = newKey();
    service.provider.plays([fails("provider_error")]);
    const first = await service.create({ input: "Hi" }, key);
    assert.equal(first.json.status, "failed");
    assert.equal((await service.create({ input: "Hi" }, key)).text, first.text);
  });

  test("is checked before anything else it names: what it continued may be gone by then", async () => {
    const opening = await service.create({ input: "Hi" });
    const key = newKey();
    const body = { input: "More", previous_response_id: opening.json.id };
    const first = await service.create(body, key);
    await service.request("DELETE", `/v1/responses/${opening.json.id}`);
    assert.equal((await service.create(body, key)).text, first.text);
  });

  test("streaming is answered by the same ladder rebuilt: same ids, one terminal event", async () => {
    const key = newKey();
    service.provider.plays([
      [{ type: "text", text: "Hel" }],
      [{ type: "text", text: "lo" }],
      ...(calls({ callId: "a" }) as readonly []),
    ]);
    const body = { input: "Hi", tools: [{ type: "function", name: "look_up" }] };
    const first = await service.stream(body, key);
    const before = asked();
    const again = await service.stream(body, key);
    assert.equal(asked(), before);
    assert.deepEqual(again.events[0]?.data.response, first.events[0]?.data.response);
    assert.deepEqual(again.events.at(-1)?.data.response, first.events.at(-1)?.data.response);
    const merged = first.events.map(({ event }) => event).filter((event, index, all) => event !== all[index - 1]);
    assert.deepEqual(
      again.events.map(({ event }) => event),
      merged,
    );
    const done = (events: typeof first.events) =>
      events.filter(({ event }) => event.endsWith("done")).map(({ data }) => without(data, "sequence_number"));
    assert.deepEqual(done(again.events), done(first.events));
    const deltas = again.events.filter(({ event }) => event === "response.output_text.delta");
    assert.deepEqual(
      deltas.map(({ data }) => data.delta),
      ["Hello"],
    );
  });

  test("twins at once: fifty requests, one provider call, one id", async () => {
    for (const stream of [false, true]) {
      const key = newKey();
      const before = asked();
      const { opened, open } = gate();
      service.provider.plays([opened, ...(says("once") as readonly [])]);
      const pending = Array.from({ length: 50 }, () => service.create({ input: "Hi", stream }, key));
      await until("the call", () => asked() > before);
      open();
      const answers = await Promise.all(pending);
      const ids = new Set<string>();
      for (const answer of answers) {
        if (answer.status === 409) assertRefused(answer, IN_PROGRESS);
        else ids.add(stream ? readFrames(answer.text).events[0]?.data.response.id : answer.json.id);
      }
      assert.equal(ids.size, 1);
      assert.equal(asked(), before + 1);
      assert.equal((await service.create({ input: "Hi", stream }, key)).status, 200);
    }
  });
});

describe("409 idempotency_conflict", () => {
  test("another body, which learns nothing of the first", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    for (const body of [
      { input: "Ho" },
      { input: "Hi", stream: true },
      { input: "Hi", metadata: {} },
      { input: "Hi", unknown: 1 },
    ]) {
      const answer = await service.create(body, key);
      assertRefused(answer, CONFLICT);
      assert.equal(answer.headers["x-should-retry"], "false");
      assert.equal(answer.text.includes(first.json.id), false);
    }
    assert.equal((await service.create({ input: "Hi" }, key)).text, first.text);
  });

  test("another API key of the organization, which cannot read what the first made", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    const { secret } = await service.newKey();
    const answer = await service.create({ input: "Hi" }, { ...key, key: secret });
    assertRefused(answer, CONFLICT);
    assert.equal(answer.text.includes(first.json.id), false);
  });

  test("a result that was deleted, by itself or with its conversation", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    await service.request("DELETE", `/v1/responses/${first.json.id}`);
    assertRefused(await service.create({ input: "Hi" }, key), CONFLICT);

    const conversation = await service.request("POST", "/v1/conversations");
    const body = { input: "Hi", conversation: conversation.json.id };
    const streamKey = newKey();
    await service.stream(body, streamKey);
    await service.request("DELETE", `/v1/conversations/${conversation.json.id}`);
    assertRefused(await service.stream(body, streamKey), CONFLICT);
  });
});

describe("409 idempotency_in_progress while the first may still wait for its answer, 200 afterwards", () => {
  test("not streaming: 90 seconds", async () => {
    const key = newKey();
    const { opened, open } = gate();
    service.provider.plays([opened, ...(says("late") as readonly [])]);
    const before = asked();
    const pending = service.create({ input: "Hi" }, key);
    await until("the call", () => asked() > before);
    const early = await service.create({ input: "Hi" }, key);
    assertRefused(early, IN_PROGRESS);
    assert.deepEqual([early.headers["retry-after"], early.headers["x-should-retry"]], ["1", "true"]);
    assertRefused(await service.create({ input: "Ho" }, key), CONFLICT);
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
    const { opened, open } = gate();
    service.provider.plays([opened, ...(says("late") as readonly [])]);
    const before = asked();
    const first = await LiveStream.open(service, {}, key);
    await first.sees("response.in_progress");
    assertRefused(await service.stream({ input: "hi" }, key), IN_PROGRESS);
    await service.clock.advance(300_000);
    await first.closed;
    assert.equal(first.events.at(-1)?.event, "error");
    const unresolved = await LiveStream.open(service, {}, key);
    await unresolved.sees("response.in_progress");
    assert.equal(unresolved.id, first.id, "its id is told at once");
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

test("a retry's stream of a turn that is still queued tells so, and goes on as any other", () =>
  withService({ limits: { concurrent_turns: 1 } }, async (busy) => {
    const { opened, open } = gate();
    busy.provider.plays([opened, ...(says("a") as readonly [])], says("b"));
    const first = await LiveStream.open(busy, {});
    await first.sees("response.in_progress");
    const key = newKey();
    const queued = await LiveStream.open(busy, {}, key);
    await queued.sees("response.queued");
    await busy.clock.advance(300_000);
    await queued.closed;
    const again = await LiveStream.open(busy, {}, key);
    await again.sees("response.queued");
    open();
    await again.closed;
    assert.deepEqual(
      again.events.slice(0, 3).map(({ event, data }) => [event, data.response.status]),
      [
        ["response.created", "queued"],
        ["response.queued", "queued"],
        ["response.in_progress", "in_progress"],
      ],
    );
    assert.equal(again.id, queued.id);
    assert.equal(again.events.at(-1)?.event, "response.completed");
  }));

describe("a refused request does not consume its key", () => {
  const refusals: readonly (readonly [string, object])[] = [
    ["400", { input: "" }],
    ["400 of a model", { input: "Hi", model: "nope" }],
    ["400 context_length_exceeded", { input: "x".repeat(500_000) }],
    ["404", { input: "Hi", conversation: "conv_none" }],
  ];
  for (const [name, body] of refusals) {
    test(name, async () => {
      const key = newKey();
      const refused = await service.create(body, key);
      assert.equal(refused.status, Number(name.slice(0, 3)));
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

test("keys belong to the organization: another one's same key is its own", async () => {
  const key = newKey();
  const first = await service.create({ input: "Hi" }, key);
  const { organizationId } = await service.newOrganization();
  const { secret } = await service.newKey(organizationId);
  const other = await service.create({ input: "Ho" }, { ...key, key: secret });
  assert.equal(other.status, 200);
  assert.notEqual(other.json.id, first.json.id);
});

test("after 24 hours the key is free, to the millisecond", async () => {
  const key = newKey();
  const first = await service.create({ input: "Hi" }, key);
  await service.clock.advance(24 * 3_600_000 - 1);
  assert.equal((await service.create({ input: "Hi" }, key)).text, first.text);
  assertRefused(await service.create({ input: "Ho" }, key), CONFLICT);
  await service.clock.advance(1);
  const other = await service.create({ input: "Ho" }, key);
  assert.equal(other.status, 200);
  assert.equal((await service.create({ input: "Ho" }, key)).text, other.text);
});

test("without a key a retry makes a second response", async () => {
  const first = await service.create({ input: "Hi" });
  const second = await service.create({ input: "Hi" });
  assert.notEqual(first.json.id, second.json.id);
});

test("a retry that finds the first being taken back is not told that its result is gone for good", async () => {
  // The retry reads the claim, then the turn is withdrawn, then it looks for the response.
  let beforeRead: (() => Promise<void>) | null = null;
  const wrapStore = (store: Store): Store => ({
    ...store,
    readTurn: async (query) => {
      const hook = beforeRead;
      beforeRead = null;
      await hook?.();
      return store.readTurn(query);
    },
  });
  await withService({ wrapStore }, async (watched) => {
    const key = newKey();
    const { opened, open } = gate();
    watched.provider.plays([opened, fails("provider_overloaded")]);
    const pending = watched.create({ input: "Hi" }, key);
    await until("the call", () => watched.provider.calls.length === 1);
    beforeRead = async () => {
      open();
      await pending;
    };
    const retry = await watched.create({ input: "Hi" }, key);
    assert.equal((await pending).status, 502);
    assertRefused(retry, IN_PROGRESS);
    assert.equal((await watched.create({ input: "Hi" }, key)).status, 200);
    assert.equal(watched.provider.calls.length, 2);
  });
});

test("a turn of a process that died is failed as run_failed and never sent again", async () => {
  await withService({}, async (crashed) => {
    const key = newKey();
    const first = await crashed.create({ input: "Hi" }, key);
    // As a process that was killed in the middle of the turn leaves it.
    tamper(
      crashed.path,
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
    beginTurn: async (begin) => {
      if (lose) throw new StoreError("unavailable", "away");
      return store.beginTurn(begin);
    },
  });
  await withService({ wrapStore }, async (broken) => {
    const key = newKey();
    assert.equal((await broken.create({ input: "Hi" }, key)).status, 503);
    assert.deepEqual(dumpTables(broken.path)["claims"], []);
    lose = false;
    assert.equal((await broken.create({ input: "Hi" }, key)).status, 200);
    assert.equal(broken.provider.calls.length, 1);
  });
});
