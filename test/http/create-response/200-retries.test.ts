// A retry with the same Idempotency-Key gets the first response. @spec limits (Idempotency rules)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readFrames } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, fails, gate, says } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { without } from "../../support/without.ts";
import { CONFLICT, IN_PROGRESS, newKey } from "./idempotent.ts";

const service = await serviceForFile();

const asked = () => service.provider.calls.length;

describe("a retry with the same key and body", () => {
  test("returns the first response; the model ran once", async () => {
    const key = newKey();
    const first = await service.create({ input: "Hi" }, key);
    const before = asked();
    const again = await service.create({ input: "Hi" }, key);
    assert.equal(again.text, first.text);
    assert.equal(asked(), before);
  });

  test("may format its JSON differently", async () => {
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

  test("works for tool outputs too", async () => {
    service.provider.plays(calls({ callId: "a" }), says("Done"));
    const first = await service.create({ input: "Hi", tools: [{ type: "function", name: "look_up" }] });
    const body = {
      input: [{ type: "function_call_output", call_id: "a", output: "x" }],
      previous_response_id: first.json.id,
    };
    const key = newKey();
    const reply = await service.create(body, key);
    const before = asked();
    assert.equal((await service.create(body, key)).text, reply.text);
    assert.equal(asked(), before);
  });

  test("of a failed response returns that failed response", async () => {
    const key = newKey();
    service.provider.plays([fails("provider_error")]);
    const first = await service.create({ input: "Hi" }, key);
    assert.equal(first.json.status, "failed");
    assert.equal((await service.create({ input: "Hi" }, key)).text, first.text);
  });

  test("is recognized before the objects it names are checked, since they may be deleted by then", async () => {
    const opening = await service.create({ input: "Hi" });
    const key = newKey();
    const body = { input: "More", previous_response_id: opening.json.id };
    const first = await service.create(body, key);
    await service.request("DELETE", `/v1/responses/${opening.json.id}`);
    assert.equal((await service.create(body, key)).text, first.text);
  });

  test("streaming replays the same events: same ids, one terminal event", async () => {
    const key = newKey();
    service.provider.plays([
      [{ type: "text", text: "Hel" }],
      [{ type: "text", text: "lo" }],
      ...calls({ callId: "a" }),
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

  test("fifty concurrent requests make one provider call and get one id", async () => {
    for (const stream of [false, true]) {
      const key = newKey();
      const before = asked();
      const open = service.provider.playsLater("once");
      const pending = Array.from({ length: 50 }, () => service.create({ input: "Hi", stream }, key));
      await until("the call", () => asked() > before);
      open();
      const replies = await Promise.all(pending);
      const ids = new Set<string>();
      for (const reply of replies) {
        if (reply.status === 409) assertApiError(reply, IN_PROGRESS);
        else ids.add(stream ? readFrames(reply.text).events[0]?.data.response.id : reply.json.id);
      }
      assert.equal(ids.size, 1);
      assert.equal(asked(), before + 1);
      assert.equal((await service.create({ input: "Hi", stream }, key)).status, 200);
    }
  });
});

test("a retry's stream of a queued response begins as queued, and continues like any other", () =>
  withService({ limits: { concurrent_turns: 1 } }, async (busy) => {
    const { opened, open } = gate();
    busy.provider.plays([opened, ...says("a")], says("b"));
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
  assertApiError(await service.create({ input: "Ho" }, key), CONFLICT);
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
