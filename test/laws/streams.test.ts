// One end, two readers agree, heard implies stored, over HTTP. See docs/architecture.md (Laws)
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { Check } from "typebox/value";
import { EVENTS, type EventType } from "../../src/contract/events.ts";
import { FAILURE_CODES } from "../../src/contract/failures.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { withoutAttempts } from "../support/failing-targets.ts";
import type { Loose, StreamedEvent } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import { calls, gate, says } from "../support/scripted-provider.ts";
import { serviceForFile, withService } from "../support/service.ts";
import { runSql } from "../support/tables.ts";
import { isWithdrawn, scripts, SEED, toScript } from "./provider-scripts.ts";

const service = await serviceForFile();

const TERMINAL = ["response.completed", "response.incomplete", "response.failed", "error"];
const TOOLS = [{ type: "function", name: "look_up" }];

/** Asserts what holds for the events of any stream, whole or broken off. */
function checkOrder(events: readonly StreamedEvent[]): void {
  for (const [index, { event, data }] of events.entries()) {
    assert.equal(data.type, event);
    assert.equal(data.sequence_number, index);
    assert.ok(event in EVENTS, event);
    assert.ok(Check(EVENTS[event as EventType], data), JSON.stringify(data));
    assert.equal("error" in data, event === "error", "clients raise on any event with an error");
    if (index > 0) assert.notEqual(event, "response.created");
  }
  assert.equal(events[0]?.event, "response.created");
}

/** Deltas add up to their done events, and these to the items of the terminal object. */
function checkSums(events: readonly StreamedEvent[]): void {
  const sums = new Map<string, string>();
  const items: Loose[] = [];
  for (const { event, data } of events) {
    const place = `${data.item_id} ${data.content_index}`;
    if (event.endsWith(".delta")) sums.set(place, (sums.get(place) ?? "") + data.delta);
    if (event.endsWith("text.done")) assert.equal(sums.get(place) ?? "", data.text);
    if (event.endsWith("refusal.done")) assert.equal(sums.get(place) ?? "", data.refusal);
    if (event.endsWith("arguments.done")) assert.equal(sums.get(place), data.arguments);
    if (event === "response.output_item.done") items[data.output_index] = data.item;
  }
  assert.deepEqual(events.at(-1)?.data.response.output, items);
}

test("one end: any script of parts, cut, failed, cancelled or hanging anywhere, ends in one terminal event, last", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, fc.nat(8), fc.boolean(), async (script, stopAfter, cancels) => {
      service.provider.plays(toScript(script));
      const stream = await LiveStream.open(service, { tools: TOOLS });
      if (cancels || script.ending === "hangs") {
        await stream.sees("response.in_progress");
        for (let turn = 0; turn < stopAfter; turn++) await new Promise((resolve) => setImmediate(resolve));
        const { status } = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
        assert.equal(status, 200);
      }
      await stream.closed;
      assert.ok(stream.text.endsWith("\n\n"), "whole frames");
      const { events } = stream;
      checkOrder(events);
      assert.equal(events.filter(({ event }) => TERMINAL.includes(event)).length, 1);
      const last = events.at(-1) as StreamedEvent;
      assert.ok(TERMINAL.includes(last.event));
      assert.notEqual(last.event, "error");
      checkSums(events);
      const { response } = last.data;
      const expected = { "response.completed": "completed", "response.incomplete": "incomplete" }[last.event];
      if (expected === undefined) assert.ok(["failed", "cancelled"].includes(response.status));
      else assert.equal(response.status, expected);
      assert.equal(response.error === null, response.status !== "failed");
      if (response.error !== null) assert.ok(FAILURE_CODES.includes(response.error.code));
      assert.equal("svc:error" in response, response.status === "failed");
      assert.ok("usage" in response);
      assert.equal(response.incomplete_details === null, response.status !== "incomplete");
      const retrieved = await service.request("GET", `/v1/responses/${stream.id}`);
      assert.deepEqual(retrieved.json, response);
    }),
    { seed: SEED, numRuns: 250 },
  );
});

/** A value with its ids numbered in the order in which they first appear. */
function withoutIds(value: unknown): unknown {
  const numbers = new Map<string, string>();
  const json = withoutAttempts(JSON.stringify(value));
  const renamed = json.replaceAll(/\b(resp|req|msg|fc|fco|rs|conv)_[0-9a-f]{8,}/g, (id) => {
    if (!numbers.has(id)) numbers.set(id, `#${numbers.size}`);
    return numbers.get(id) ?? "";
  });
  return JSON.parse(renamed);
}

/** Everything in the database about one response. */
async function storedOf(responseId: string): Promise<unknown> {
  const id = { responseId };
  const [response] = (await runSql(service, "select * from responses where public_id = :responseId", id)) as Loose[];
  const items = await runSql(
    service,
    "select * from items where thread_id = :threadId or response_id = :responseId order by id",
    { ...id, threadId: response.thread_id },
  );
  // Rowids, and the checksum of a text that names ids.
  const numbers = new Set(["id", "thread_id", "latest_response", "body_checksum"]);
  const strip = (row: Loose) => Object.fromEntries(Object.entries(row).filter(([column]) => !numbers.has(column)));
  return withoutIds([strip(response), items.map(strip)]);
}

test("two readers agree: the same script streamed and not streamed stores the same turn", async () => {
  const drawn = scripts.filter((script) => script.ending !== "hangs" && !isWithdrawn(script));
  await fc.assert(
    fc.asyncProperty(drawn, fc.option(fc.integer({ min: 1, max: 2 })), async (script, maxToolCalls) => {
      const body = { input: "Hi", tools: TOOLS, max_tool_calls: maxToolCalls };
      service.provider.plays(toScript(script), toScript(script));
      const waited = await service.create(body);
      assert.equal(waited.status, 200, waited.text);
      const streamed = await service.stream(body);
      const terminal = streamed.events.at(-1)?.data.response;
      assert.deepEqual(withoutIds(terminal), withoutIds(waited.json));
      assert.deepEqual(await storedOf(terminal.id), await storedOf(waited.json.id));
    }),
    { seed: SEED, numRuns: 120 },
  );
});

test("two readers agree: a retry's stream has the same items as the first reader saw", async () => {
  const drawn = scripts.filter((script) => script.ending !== "hangs");
  let made = 0;
  await fc.assert(
    fc.asyncProperty(drawn, async (script) => {
      const key = { headers: { "idempotency-key": `two readers ${++made}` } };
      service.provider.plays(toScript(script));
      const first = await service.stream({ input: "Hi", tools: TOOLS }, key);
      const again = await service.stream({ input: "Hi", tools: TOOLS }, key);
      checkOrder(again.events);
      checkSums(again.events);
      assert.deepEqual(again.events.at(-1)?.data.response, first.events.at(-1)?.data.response);
    }),
    { seed: SEED, numRuns: 80 },
  );
});

test("heard implies stored: after created and after the end a retrieve confirms it, whatever the store's pace", async () => {
  const held = { beginResponse: gate(), settleResponse: gate() };
  const wrapStore = (store: Store): Store => ({
    ...store,
    beginResponse: async (begin) => {
      await held.beginResponse.opened;
      return store.beginResponse(begin);
    },
    settleResponse: async (settle) => {
      await held.settleResponse.opened;
      return store.settleResponse(settle);
    },
  });
  await withService({ wrapStore }, async (slow) => {
    slow.provider.plays(says("Hello"));
    const opening = LiveStream.open(slow, {});
    let isHeard = false;
    void opening.finally(() => {
      isHeard = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(isHeard, false, "not a byte before begin is stored");
    assert.equal(slow.provider.calls.length, 0, "no provider before begin is stored");
    held.beginResponse.open();
    const stream = await opening;
    await stream.sees("response.created");
    const running = await slow.request("GET", `/v1/responses/${stream.id}`);
    assert.deepEqual([running.status, running.json.status], [200, "in_progress"]);
    await stream.sees("response.output_text.delta");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(
      stream.events.some(({ event }) => TERMINAL.includes(event)),
      false,
      "no end before settle is stored",
    );
    held.settleResponse.open();
    await stream.closed;
    const settled = await slow.request("GET", `/v1/responses/${stream.id}`);
    assert.deepEqual(settled.json, stream.events.at(-1)?.data.response);
  });
});

test("heard implies stored: at the instant of each event a retrieve knows the response; a status never goes back", async () => {
  const order = ["in_progress", "completed"];
  for (let round = 0; round < 20; round++) {
    service.provider.plays([
      [{ type: "text", text: "a" }],
      new Promise<void>((resolve) => setImmediate(resolve)),
      ...calls({ callId: "c" }),
    ]);
    const stream = await LiveStream.open(service, { tools: TOOLS });
    await stream.sees("response.created");
    let reached = 0;
    for (;;) {
      const isOver = stream.events.at(-1)?.event === "response.completed";
      const { status, json } = await service.request("GET", `/v1/responses/${stream.id}`);
      assert.equal(status, 200);
      const place = order.indexOf(json.status);
      assert.ok(place >= reached, `${json.status} after ${order[reached]}`);
      assert.equal("usage" in json, json.status === "completed");
      assert.equal(json.completed_at === null, json.status !== "completed");
      reached = place;
      if (isOver) assert.equal(json.status, "completed");
      if (stream.isClosed) break;
    }
  }
});
