// A stream on its connection: headers, writes, quiet, readers that go away or fall behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseEvent } from "../../../src/contract/events.ts";
import type { ResponseObject } from "../../../src/contract/resources.ts";
import type { StreamReader, StreamReply } from "../../../src/flows/request-context.ts";
import { loopTurns } from "../../support/event-loop.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";
import { requestText, type Script, startServer } from "./scripted-server.ts";

const response = { id: "resp_1", object: "response" } as ResponseObject;
const created: ResponseEvent = { type: "response.created", response };
const completed: ResponseEvent = { type: "response.completed", response };
const textDelta = (delta: string): ResponseEvent => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta,
  logprobs: [],
});

/** A server with one stream, whose reader the test feeds. */
async function startStream(script: Script = {}, beginning: readonly ResponseEvent[] = []) {
  const reader = Promise.withResolvers<StreamReader>();
  const stopped = Promise.withResolvers<void>();
  let stops = 0;
  const reply: StreamReply = {
    kind: "stream",
    includeObfuscation: false,
    watch(given) {
      for (const event of beginning) given.event(event);
      reader.resolve(given);
      return () => {
        stops++;
        stopped.resolve();
      };
    },
  };
  const server = await startServer({
    serve: async (exchange) => {
      exchange.allowance = { limit: 60, remaining: 59, resetMs: 1 };
      return reply;
    },
    ...script,
  });
  const connection = await server.open();
  connection.socket.write(requestText("POST", "/v1/responses", ["Content-Length: 2"], "{}"));
  return { server, connection, reader: await reader.promise, stopped: stopped.promise, stops: () => stops };
}

test("exactly these headers are sent before the first event", async () => {
  const { server, connection, reader } = await startStream();
  await using _ = server;
  const head = await connection.until(/\r\n\r\n/);
  assert.deepEqual(
    head
      .trimEnd()
      .split("\r\n")
      .filter((line) => !line.startsWith("Date:")),
    [
      "HTTP/1.1 200 OK",
      "content-type: text/event-stream; charset=utf-8",
      "x-accel-buffering: no",
      "cache-control: no-store",
      "x-content-type-options: nosniff",
      "x-request-id: req_1",
      "x-ratelimit-limit-requests: 60",
      "x-ratelimit-remaining-requests: 59",
      "x-ratelimit-reset-requests: 1ms",
      "Connection: close",
      "Transfer-Encoding: chunked",
    ],
  );
  reader.end();
});

test("a stream, byte for byte: the frames of a tick share a chunk, and nothing follows the terminal one", async () => {
  const { server, connection, reader, stops } = await startStream({}, [created]);
  await using _ = server;
  await connection.until(/response\.created[\s\S]*\n\n/);
  reader.event(textDelta("Grüße"));
  reader.event(textDelta("!"));
  await connection.until(/"!"/);
  reader.event(completed);
  reader.end();
  reader.event(textDelta("too late"));
  reader.end();
  const body = (await connection.ended()).split("\r\n\r\n").slice(1).join("\r\n\r\n");
  const delta = (text: string, number: number) =>
    `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"${text}","logprobs":[],"sequence_number":${number}}\n\n`;
  const lifecycle = (type: string, number: number) =>
    `event: ${type}\ndata: {"type":"${type}","response":{"id":"resp_1","object":"response"},"sequence_number":${number}}\n\n`;
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  assert.equal(
    body,
    [
      chunk(lifecycle("response.created", 0)),
      chunk(delta("Grüße", 1) + delta("!", 2)),
      chunk(lifecycle("response.completed", 3)),
      chunk(""),
    ].join(""),
  );
  assert.equal(stops(), 1);
});

test("a stream that ends at once is written completely", async () => {
  const ended: StreamReply = {
    kind: "stream",
    includeObfuscation: true,
    watch(reader) {
      for (const event of [created, textDelta("all"), completed]) reader.event(event);
      reader.end();
      return () => {};
    },
  };
  await using server = await startServer({ serve: async () => ended });
  const text = await server.sendRaw(requestText("POST", "/v1/responses"));
  assert.deepEqual(text.match(/^event: .*$/gm), [
    "event: response.created",
    "event: response.output_text.delta",
    "event: response.completed",
  ]);
  assert.match(text, /\r\n0\r\n\r\n$/);
});

test("a quiet stream gets a comment after 15 s without a frame, and not before", async () => {
  const clock = new FakeClock();
  const { server, connection, reader } = await startStream({ clock }, [created]);
  await using _ = server;
  await connection.until(/response\.created/);
  await clock.advance(14_000);
  reader.event(textDelta("a"));
  await connection.until(/"a"/);
  await clock.advance(14_999);
  reader.event(textDelta("b"));
  const before = await connection.until(/"b"/);
  assert.doesNotMatch(before, /keep-alive\n/);
  await clock.advance(15_000);
  const after = await connection.until(/: keep-alive\n\n/);
  assert.ok(after.indexOf('"b"') < after.indexOf(": keep-alive"));
  await clock.advance(15_000);
  await connection.until(/: keep-alive\n\n[\s\S]*: keep-alive\n\n/);
  reader.event(completed);
  reader.end();
  const numbers = (await connection.ended()).match(/"sequence_number":\d+/g);
  assert.deepEqual(numbers?.at(-1), '"sequence_number":3', "a comment has no number");
  assert.equal(clock.pending, 0, "no timer outlives its stream");
});

test("a disconnected client stops watching, and later events are dropped", async () => {
  const { server, connection, reader, stopped, stops } = await startStream({}, [created]);
  await using _ = server;
  await connection.until(/response\.created/);
  connection.socket.resetAndDestroy();
  await stopped;
  reader.event(textDelta("x"));
  reader.end();
  await loopTurns();
  assert.equal(stops(), 1);
  assert.equal(server.logged.length, 0);
});

test("nothing is written to a client that disconnected before its stream began", async () => {
  const begun = Promise.withResolvers<void>();
  let stops = 0;
  await using server = await startServer({
    async serve() {
      await begun.promise;
      return {
        kind: "stream",
        includeObfuscation: true,
        watch(reader) {
          reader.event(created);
          return () => {
            stops++;
          };
        },
      };
    },
  });
  const connection = await server.open();
  connection.socket.write(requestText("POST", "/v1/responses"));
  await until("the request", () => server.exchanges.length === 1);
  connection.socket.resetAndDestroy();
  await loopTurns();
  begun.resolve();
  await until("the end", () => stops > 0);
  await loopTurns();
  assert.equal(stops, 1);
  assert.equal(server.logged.length, 0);
});

test("a reader that leaves more than 1 MiB unread is dropped; one that reads is not", async () => {
  const { server, connection, reader, stopped } = await startStream({}, [created]);
  await using _ = server;
  await connection.until(/response\.created/);
  const burst = textDelta("x".repeat(512 * 1024));
  for (let round = 1; round <= 20; round++) {
    reader.event(burst);
    await until("it is read", () => connection.socket.bytesRead > round * 512 * 1024);
  }
  assert.equal(server.logged.length, 0);

  connection.socket.pause();
  for (let round = 0; round < 40; round++) {
    reader.event(burst);
    await loopTurns();
  }
  await stopped;
  assert.equal(server.logged[0]?.event, "stream.reader_too_slow");
  connection.socket.destroy();
});

test("an event that cannot be encoded closes the stream, since the status is already sent", async () => {
  const { server, connection, reader, stopped } = await startStream({}, [created]);
  await using _ = server;
  await connection.until(/response\.created/);
  const circular = { ...response } as Record<string, unknown>;
  circular["self"] = circular;
  reader.event({ type: "response.completed", response: circular as unknown as ResponseObject });
  await stopped;
  const text = await connection.ended();
  assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
  assert.equal(server.logged[0]?.event, "stream.event_unwritable");
});

test("a stream that cannot be watched is closed", async () => {
  await using server = await startServer({
    serve: async () => ({
      kind: "stream",
      includeObfuscation: true,
      watch() {
        throw new Error("no such run");
      },
    }),
  });
  assert.doesNotMatch(await server.sendRaw(requestText("POST", "/v1/responses")), /error/);
  assert.equal(server.logged[0]?.event, "answer.broken_off");
  assert.deepEqual(server.ends, [{ status: 200, code: null, isStream: true }]);
});

test("a stream behind another request on its connection waits for its turn", async () => {
  const first = Promise.withResolvers<void>();
  await using server = await startServer({
    async serve({ operation }) {
      if (operation === "listModels") {
        await first.promise;
        return { kind: "json", body: { first: true } };
      }
      return {
        kind: "stream",
        includeObfuscation: false,
        watch(reader) {
          let left = 5;
          const feed = () => {
            reader.event(textDelta(`part ${left}`));
            if (--left > 0) setTimeout(feed, 5);
            else reader.end();
          };
          feed();
          return () => {};
        },
      };
    },
  });
  const connection = await server.open();
  connection.socket.write("GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n" + requestText("POST", "/v1/responses"));
  await loopTurns();
  first.resolve();
  const text = await connection.ended();
  assert.ok(text.indexOf('{"first":true}') < text.indexOf("text/event-stream"));
  assert.deepEqual(text.match(/part \d/g), ["part 5", "part 4", "part 3", "part 2", "part 1"]);
  assert.match(text, /\r\n0\r\n\r\n$/);
});

test("an HTTP/1.0 client gets its stream without chunks", async () => {
  const { server, reader } = await startStream();
  await using _ = server;
  reader.end();
  const plain: StreamReply = {
    kind: "stream",
    includeObfuscation: false,
    watch(given) {
      given.event(created);
      setTimeout(() => {
        given.event(completed);
        given.end();
      }, 10);
      return () => {};
    },
  };
  await using old = await startServer({ serve: async () => plain });
  const text = await old.sendRaw("POST /v1/responses HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  assert.doesNotMatch(head, /chunked/i);
  assert.match(body, /^event: response\.created\n[\s\S]*event: response\.completed\ndata: [^\n]*\n\n$/);
});
