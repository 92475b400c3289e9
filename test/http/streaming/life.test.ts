// A stream's life: keep-alive, time limit, its client, its service.
// @spec events, limits; docs/architecture.md (Runs know no sockets)
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { asPlain } from "../../support/failing-targets.ts";
import type { Reply } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { paced } from "../../support/paced.ts";
import { FINISHED, gate, says } from "../../support/scripted-provider.ts";
import { TEST_MODELS, testModel } from "../../support/service-config.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

const LARGE = testModel("test/large", {
  contextWindow: 40_000_000,
  maxOutputTokens: 9_000_000,
  defaultOutputTokens: 9_000_000,
});

const service = await serviceForFile({ models: [...TEST_MODELS, LARGE] });

const get = (id: string, from = service) => from.request("GET", `/v1/responses/${id}`);

async function untilSettled(id: string, from = service): Promise<Reply> {
  await until("the end", async () => !["queued", "in_progress"].includes((await get(id, from)).json.status));
  return get(id, from);
}

test("a quiet stream gets a comment every 15 seconds, and only then", async () => {
  const open = service.provider.playsLater("late");
  const stream = await LiveStream.open(service, {});
  await stream.sees("response.in_progress");
  await service.clock.advance(14_999);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(stream.comments, 0);
  await service.clock.advance(1);
  await until("a comment", () => stream.comments === 1);
  assert.ok(stream.text.endsWith("\n\n: keep-alive\n\n"));
  await service.clock.advance(45_000);
  await until("three more", () => stream.comments === 4);
  open();
  await stream.closed;
  assert.equal(stream.events.at(-1)?.event, "response.completed");
  const { pending } = service.clock;
  await service.clock.advance(60_000);
  assert.ok(service.clock.pending <= pending);
});

test("at 300 seconds the stream ends with error response_unresolved; the response still finishes", async () => {
  const { opened, open } = gate();
  service.provider.plays([[{ type: "text", text: "early" }], opened, [{ type: "text", text: ", late" }], FINISHED]);
  const stream = await LiveStream.open(service, {});
  await stream.sees("response.output_text.delta");
  await service.clock.advance(299_999);
  assert.equal(stream.isClosed, false);
  await service.clock.advance(1);
  await stream.closed;
  const last = stream.events.at(-1);
  assert.equal(last?.event, "error");
  const { type, code, message, param, error, response, sequence_number } = last?.data ?? {};
  assert.deepEqual([type, code, param], ["error", "response_unresolved", null]);
  assert.ok(message.includes(stream.id));
  assert.deepEqual(error, { type: "api_error", code, message, param: null });
  assert.deepEqual([response.id, response.status, response.output], [stream.id, "in_progress", []]);
  assert.equal(sequence_number, stream.events.length - 1);
  assert.equal(stream.comments, 19, "the keep-alives before it");
  assert.equal((await get(stream.id)).json.status, "in_progress");
  open();
  const { json } = await untilSettled(stream.id);
  assert.deepEqual([json.status, json.output[0].content[0].text], ["completed", "early, late"]);
});

test("cancelled from elsewhere: response.failed carrying the cancelled response", async () => {
  service.provider.plays([[{ type: "text", text: "a" }], new Promise(() => {})]);
  const stream = await LiveStream.open(service, {});
  await stream.sees("response.output_text.delta");
  const cancelled = await service.request("POST", `/v1/responses/${stream.id}/cancel`);
  await stream.closed;
  const last = stream.events.at(-1);
  assert.equal(last?.event, "response.failed");
  assert.deepEqual(last?.data.response, cancelled.json);
  assert.deepEqual([last?.data.response.status, last?.data.response.error], ["cancelled", null]);
});

test("a queued start: created and queued, then in progress", () =>
  withService({ limits: { concurrent_turns: 1 } }, async (busy) => {
    const { opened, open } = gate();
    busy.provider.plays([opened, ...says("a")], says("b"));
    const first = await LiveStream.open(busy, {});
    await first.sees("response.in_progress");
    const second = await LiveStream.open(busy, {});
    await second.sees("response.queued");
    assert.equal((await get(second.id, busy)).json.status, "queued");
    await busy.clock.advance(15_000);
    await until("a comment", () => second.comments === 1);
    open();
    await second.closed;
    assert.deepEqual(
      second.events.slice(0, 3).map(({ event, data }) => [event, data.response.status, data.sequence_number]),
      [
        ["response.created", "queued", 0],
        ["response.queued", "queued", 1],
        ["response.in_progress", "in_progress", 2],
      ],
    );
    assert.equal(second.events.at(-1)?.event, "response.completed");
  }));

describe("the client's behaviour never affects the response", () => {
  const parts: ProviderPart[] = [
    { type: "text", text: "four" },
    { type: "text", text: " score ü👋" },
    { type: "call_started", index: 0, callId: "a", name: "look_up" },
    { type: "call_arguments", index: 0, delta: '{"q":1}' },
    { type: "call_finished", index: 0 },
  ];
  const tools = [{ type: "function", name: "look_up" }];
  const script = paced([...parts.map((part) => [part]), FINISHED]);

  /** The parts of a response that are equal in every run. */
  function essence({ json }: Reply): unknown {
    const { id: _, output, ...rest } = asPlain(json);
    return { ...rest, output: output.map(({ id: __, ...item }: { id: string }) => item) };
  }

  test("however its stream is cut, the response equals that of an undisturbed run", async () => {
    service.provider.plays(script);
    const body = {
      model: "test/all",
      input: "hi",
      stream: true,
      tools,
      stream_options: { include_obfuscation: false },
    };
    const control = await service.stream(body);
    const id = control.events[0]?.data.response.id;
    const expected = essence(await get(id));
    const bytes = Buffer.byteLength(control.text);
    const text = JSON.stringify(body);
    const { port } = new URL(service.baseUrl);
    const head = `POST /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
    const before = (await dumpTables(service))["responses"]?.length ?? 0;

    /** Reads so many bytes of the response, then disconnects. */
    const cutAfter = (limit: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.write(head + text));
        let received = 0;
        socket.on("error", reject);
        socket.on("close", () => resolve());
        socket.on("data", (chunk) => {
          received += chunk.length;
          if (received >= limit) socket.resetAndDestroy();
        });
      });
    const step = 13;
    const cuts = Array.from({ length: Math.ceil((bytes + 600) / step) }, (_, index) => 1 + index * step);
    for (let from = 0; from < cuts.length; from += 25) {
      const batch = cuts.slice(from, from + 25);
      service.provider.plays(...batch.map(() => script));
      await Promise.all(batch.map(cutAfter));
      const begun = before + from + batch.length;
      await until("all to settle", async () => {
        const rows = ((await dumpTables(service))["responses"] ?? []) as { completed_at: unknown }[];
        return rows.length === begun && rows.every((row) => row.completed_at !== null);
      });
    }
    const rows = ((await dumpTables(service))["responses"] ?? []).slice(before) as { public_id: string }[];
    for (const row of rows) assert.deepEqual(essence(await get(row.public_id)), expected);
  });

  test("a disconnected client does not stop its provider call", async () => {
    const { opened, open } = gate();
    const { aborted } = service.provider;
    service.provider.plays([[{ type: "text", text: "a" }], opened, [{ type: "text", text: "b" }], FINISHED]);
    const stream = await LiveStream.open(service, {});
    await stream.sees("response.output_text.delta");
    stream.drop();
    await stream.closed;
    open();
    const { json } = await untilSettled(stream.id);
    assert.deepEqual([json.status, json.output[0].content[0].text], ["completed", "ab"]);
    assert.equal(service.provider.aborted, aborted);
  });

  test("a slow reader is bounded, then dropped; the run goes on to its end", async () => {
    const burst = "x".repeat(256 * 1024);
    const bursts = 60;
    service.provider.plays(
      paced([...Array.from({ length: bursts }, () => [{ type: "text" as const, text: burst }]), FINISHED]),
    );
    const text = JSON.stringify({ model: "test/large", input: "hi", stream: true });
    const { port } = new URL(service.baseUrl);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    const before = service.provider.calls.length;
    socket.write(
      `POST /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    await until("the call", () => service.provider.calls.length > before);
    await until("the drop", () => service.logged.some(({ event }) => event.endsWith("reader_too_slow")));
    const last = (await dumpTables(service))["responses"]?.at(-1) as { public_id: string };
    const { json } = await untilSettled(last.public_id);
    assert.equal(json.status, "completed");
    assert.equal(json.output[0].content[0].text.length, burst.length * bursts);
    socket.destroy();
  });

  test("a reader that keeps up gets a large response whole", async () => {
    const burst = "y".repeat(64 * 1024);
    service.provider.plays(
      paced([...Array.from({ length: 40 }, () => [{ type: "text" as const, text: burst }]), FINISHED]),
    );
    const { events } = await service.stream({ input: "hi", model: "test/large" });
    assert.equal(events.at(-1)?.data.response.output[0].content[0].text.length, burst.length * 40);
  });
});
