// Responses of a provider, read from the connection. docs/reliability.md, A-12
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { LINGER_MS } from "../../src/providers/wire/bounds.ts";
import { foldParts, sampleModel, samplePrompt } from "../support/provider-samples.ts";
import type { OnResponse } from "../../src/ports/provider.ts";
import {
  DONE_EVENT,
  FINISH_EVENT,
  flood,
  httpChunk,
  LAST_CHUNK,
  textEvent,
  USAGE_EVENT,
  type WireRequest,
  writeAnswer,
  writeHead,
} from "./wire-server.ts";
import { setUp, run, assertFailure, WHOLE } from "./transport-bench.ts";

test("everything of one socket read is passed on in one call", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => {
    const deltas = Array.from({ length: 50 }, (_, index) => httpChunk(textEvent(`${index} `)));
    writeHead(socket);
    socket.write(
      Buffer.concat([...deltas, httpChunk(FINISH_EVENT + USAGE_EVENT + DONE_EVENT), Buffer.from(LAST_CHUNK)]),
    );
  });
  const { batches } = await run(provider);
  assert.ok(batches.length <= 2, `${batches.length} calls`);
  assert.equal(
    batches.reduce((sum, size) => sum + size),
    52,
  );
});

test("parts are passed on as they arrive, before the response ends", async (context) => {
  let socket: WireRequest["socket"] | undefined;
  const { provider } = await setUp(context, (request) => {
    socket = request.socket;
    writeHead(request.socket);
    request.socket.write(httpChunk(textEvent("first")));
  });
  let heard = 0;
  const { batches } = await run(provider, undefined, () => {
    heard++;
    if (heard === 1)
      socket?.write(Buffer.concat([httpChunk(FINISH_EVENT + USAGE_EVENT + DONE_EVENT), Buffer.from(LAST_CHUNK)]));
  });
  assert.deepEqual(batches, [1, 2]);
});

test("an endless error body is read to its limit, then its connection is closed", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    socket.write("HTTP/1.1 400 X\r\ntransfer-encoding: chunked\r\n\r\n");
    void flood(socket, httpChunk("x".repeat(16_384)), 100_000_000);
  });
  const failure = assertFailure(await run(provider), "provider_client_error", false);
  assert.ok(failure.message.length < 600);
  await server.closed();
});

test("the parts before bytes that are not UTF-8 count, also within one read", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(Buffer.concat([Buffer.from(textEvent("Half") + USAGE_EVENT), Uint8Array.of(0xff)])));
  });
  const ran = await run(provider);
  const failure = assertFailure(ran, "provider_error", false);
  assert.equal(failure.message, "The provider sent bytes that are not UTF-8.");
  const { text, usage } = foldParts(ran.parts);
  assert.deepEqual([text, usage], ["Half", { input: 10, output: 5, cached: 0, reasoning: 0 }]);
});

test("responses that make no sense are provider_error", async (context) => {
  const stream =
    (...pieces: (string | Uint8Array)[]) =>
    ({ socket }: WireRequest) => {
      writeHead(socket);
      socket.write(Buffer.concat([...pieces.map(httpChunk), Buffer.from(LAST_CHUNK)]));
    };
  const rows: [string, (request: WireRequest) => void][] = [
    ["a stream that ends without a finish", stream(textEvent("Half"))],
    ["an empty stream", stream("\n")],
    ["a chunk that is no JSON", stream(textEvent("Half"), "data: {oops\n\n")],
    ["invalid UTF-8", stream(textEvent("Half"), Uint8Array.of(0xff, 0xfe), DONE_EVENT)],
    ["a character cut by the end", stream(textEvent("Half"), Uint8Array.of(0xf0, 0x9f))],
    ["a page", ({ socket }) => writeAnswer(socket, 200, "<html>Welcome</html>", "content-type: text/html\r\n")],
    ["nothing", ({ socket }) => writeAnswer(socket, 200, "")],
    ["no content", ({ socket }) => void socket.write("HTTP/1.1 204 X\r\n\r\n")],
    ["bytes that are not compressed", ({ socket }) => writeAnswer(socket, 200, WHOLE, "content-encoding: gzip\r\n")],
    ["an unknown encoding", ({ socket }) => writeAnswer(socket, 200, WHOLE, "content-encoding: exi\r\n")],
    [
      "a compressed stream without a finish",
      ({ socket }) => writeAnswer(socket, 200, gzipSync(textEvent("Half")), "content-encoding: gzip\r\n"),
    ],
    ["no HTTP", ({ socket }) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n")],
    [
      "headers beyond their bound",
      ({ socket }) => void socket.write(`HTTP/1.1 200 X\r\nx: ${"x".repeat(99_999)}\r\n\r\n`),
    ],
  ];
  for (const [name, script] of rows) {
    await context.test(name, async (inner) => {
      const { provider } = await setUp(inner, script);
      const ran = await run(provider);
      assertFailure(ran, "provider_error", false);
      assert.equal(foldParts(ran.parts).incompleteReason, undefined);
    });
  }
});

test("an endless stream is aborted after 64 MiB", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    void flood(socket, httpChunk(`: ${"x".repeat(262_144)}\n\n`), 200_000_000);
  });
  const failure = assertFailure(await run(provider), "provider_error", false);
  assert.match(failure.message, /a response longer than its limit/);
  await server.closed();
});

test("a response in one JSON document is read, whatever its content type", async (context) => {
  const document =
    '{"choices":[{"index":0,"message":{"content":"Whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}';
  const { provider } = await setUp(context, ({ socket }) =>
    writeAnswer(socket, 200, document, "content-type: text/event-stream\r\n"),
  );
  const { parts, failure } = await run(provider);
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "Whole");
});

test("interim responses are ignored", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => {
    socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
    writeAnswer(socket, 200, WHOLE);
  });
  assert.equal((await run(provider)).failure, null);
});

test("the end of the model ends the response after a while, also without [DONE]", async (context) => {
  const { server, provider, clock } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(textEvent("Whole") + FINISH_EVENT + USAGE_EVENT));
  });
  const ran = run(provider);
  while (clock.pending === 0) await setImmediate();
  clock.advance(LINGER_MS);
  const { parts, failure } = await ran;
  assert.equal(failure, null);
  assert.deepEqual(foldParts(parts).usage, { input: 10, output: 5, cached: 0, reasoning: 0 });
  await server.closed();
});

test("chunks after the model's end are read: some gateways send a finish reason with every chunk", async (context) => {
  const { server, provider, clock } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(textEvent("A") + FINISH_EVENT));
  });
  const texts = ["B", "C"];
  const sendMore = () => {
    const socket = server.requests[0]?.socket;
    const text = texts.shift();
    // The model ended long ago; the silence has only begun.
    clock.advance(LINGER_MS - 1);
    socket?.write(text === undefined ? LAST_CHUNK : httpChunk(textEvent(text) + FINISH_EVENT));
  };
  const { parts, failure } = await run(provider, undefined, () => void setImmediate().then(sendMore));
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "ABC");
});

test("comments do not keep a finished turn open, events do", async (context) => {
  const { server, provider, clock } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(textEvent("A") + FINISH_EVENT));
  });
  const ran = run(provider);
  while (clock.pending === 0) await setImmediate();
  for (const bytes of [": still here\n\n", "data:\n\n", "event: ping\ndata: {}\n\n"]) {
    clock.advance(LINGER_MS / 4);
    server.requests[0]?.socket.write(httpChunk(bytes));
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }
  clock.advance(LINGER_MS / 4);
  const { parts, failure } = await ran;
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "A");
  await server.closed();
});

test("an error of the receiver is passed on unchanged, and the connection closed", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(textEvent("Half")));
  });
  await assert.rejects(
    run(provider, undefined, () => {
      throw new RangeError("a bug");
    }),
    RangeError,
  );
  await server.closed();
});

test("the status and the request id of every response are reported, and when a 2xx has taken the request", async (context) => {
  const answers = [
    "HTTP/1.1 503 Busy\r\nrequest-id: req_busy\r\ncontent-length: 0\r\n\r\n",
    `HTTP/1.1 200 OK\r\nx-request-id: req_good\r\ncontent-length: ${Buffer.byteLength(WHOLE)}\r\n\r\n${WHOLE}`,
  ];
  const { provider } = await setUp(context, ({ socket }) => void socket.write(answers.shift() ?? ""));
  const responses: unknown[] = [];
  const call = { model: sampleModel(), prompt: samplePrompt("Hi"), thread: "t", cacheKey: () => "key" };
  const onResponse: OnResponse = ({ status, requestId }) => responses.push([status, requestId]);
  const onTaken = () => responses.push("taken");
  const ask = () => provider.run({ ...call, signal: new AbortController().signal, onResponse, onTaken }, () => {});
  await assert.rejects(ask());
  await ask();
  assert.deepEqual(responses, [[503, "req_busy"], [200, "req_good"], "taken"]);
});
