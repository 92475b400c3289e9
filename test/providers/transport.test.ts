import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { ERROR_BODY_BYTES_MAX, LINGER_MS } from "../../src/providers/bounds.ts";
import { createOpenAiCompatibleProvider } from "../../src/providers/openai-compatible/provider.ts";
import { createManualClock, foldParts, sampleModel, samplePrompt } from "../support/provider-samples.ts";
import type { ProviderFailureCode } from "../../src/providers/verdict.ts";
import type { Ids } from "../../src/ports/ids.ts";
import { type Provider, ProviderFailure, type ProviderPart } from "../../src/ports/provider.ts";
import {
  DONE_EVENT,
  FINISH_EVENT,
  httpChunk,
  LAST_CHUNK,
  startWireServer,
  textEvent,
  USAGE_EVENT,
  type WireRequest,
  type WireServer,
  writeAnswer,
  writeHead,
} from "./wire-server.ts";

interface Bench {
  readonly server: WireServer;
  readonly provider: Provider;
  readonly clock: ReturnType<typeof createManualClock>;
}

/** A server that follows the script, and a provider that asks it; both are gone when the test ends, and nothing hangs on. */
async function setUp(context: TestContext, script: (request: WireRequest) => void): Promise<Bench> {
  const server = await startWireServer(script);
  const clock = createManualClock();
  const provider = createProvider(server.url, clock);
  context.after(async () => {
    await provider.close();
    await server.closed();
    await server.close();
    assert.equal(clock.pending, 0, "no timer is left");
  });
  return { server, provider, clock };
}

function createProvider(baseUrl: string, clock = createManualClock()): Provider {
  const ids = { mintCallId: () => "call_minted" } as Ids;
  return createOpenAiCompatibleProvider({ name: "local", baseUrl, apiKey: "sk-secret" }, { clock, ids });
}

interface Ran {
  readonly parts: ProviderPart[];
  /** How many parts each call of receive brought. */
  readonly batches: number[];
  readonly failure: ProviderFailure | null;
}

/** Runs a turn; a failure is a value. */
async function run(provider: Provider, signal = new AbortController().signal, listen?: () => void): Promise<Ran> {
  const parts: ProviderPart[] = [];
  const batches: number[] = [];
  try {
    await provider.run({ model: sampleModel(), prompt: samplePrompt("Hi"), cacheKey: () => "key", signal }, (ready) => {
      parts.push(...ready);
      batches.push(ready.length);
      listen?.();
    });
    return { parts, batches, failure: null };
  } catch (error) {
    if (error instanceof ProviderFailure) return { parts, batches, failure: error };
    throw error;
  }
}

function assertFailure(ran: Ran, code: ProviderFailureCode, certainlyNotRun: boolean): ProviderFailure {
  assert.ok(ran.failure !== null, "it failed");
  assert.deepEqual([ran.failure.code, ran.failure.certainlyNotRun], [code, certainlyNotRun], ran.failure.message);
  assert.ok(!ran.failure.message.includes("sk-secret"));
  return ran.failure;
}

const WHOLE = textEvent("Hel") + textEvent("lo") + FINISH_EVENT + USAGE_EVENT + DONE_EVENT;

test("a request is one POST with the key, JSON and nothing compressed; its answer is read to the end", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(Buffer.concat([httpChunk(WHOLE), Buffer.from(LAST_CHUNK)]));
  });
  const { parts, failure } = await run(provider);
  assert.equal(failure, null);
  assert.deepEqual(foldParts(parts).text, "Hello");
  const [request] = server.requests;
  assert.match(request?.head ?? "", /^POST \/v1\/chat\/completions HTTP\/1\.1\r\n/);
  for (const header of [
    "authorization: Bearer sk-secret",
    "content-type: application/json",
    "accept-encoding: identity",
  ]) {
    assert.ok(request?.head.includes(`${header}\r\n`) || request?.head.endsWith(header), header);
  }
  assert.equal(JSON.parse(request?.body ?? "").messages[0].content, "Hi");
});

test("a path and a query of the base URL are kept", async (context) => {
  const { server } = await setUp(context, ({ socket }) => writeAnswer(socket, 400, ""));
  const provider = createProvider(`${server.url}/deep/?api-version=2`);
  await run(provider);
  await provider.close();
  assert.match(server.requests[0]?.head ?? "", /^POST \/v1\/deep\/chat\/completions\?api-version=2 /);
});

test("a connection is kept for the next request, after an answer and after an error", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    if (server.requests.length === 2) writeAnswer(socket, 500, "oops");
    else writeAnswer(socket, 200, WHOLE);
  });
  for (let round = 0; round < 3; round++) {
    await run(provider);
    // A connection is free again one turn of the event loop after its answer.
    await setImmediate();
  }
  assert.deepEqual([server.requests.length, server.opened], [3, 1]);
});

test("what one read of the socket brings is handed over in one call", async (context) => {
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

test("parts are handed over as they come, before the answer ends", async (context) => {
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

test("no connection is provider_unavailable, and certainly did not run", async () => {
  const server = await startWireServer(() => {});
  const { url } = server;
  await server.close();
  const provider = createProvider(url);
  const failure = assertFailure(await run(provider), "provider_unavailable", true);
  assert.equal(failure.message, "The provider could not be reached.");
  await provider.close();
});

test("a TLS handshake that fails is provider_unavailable, and certainly did not run", async () => {
  const server = await startWireServer(
    () => {},
    ({ socket }) => socket.end("HTTP/1.1 400 X\r\n\r\n"),
  );
  const provider = createProvider(server.url.replace("http:", "https:"));
  assertFailure(await run(provider), "provider_unavailable", true);
  await provider.close();
  await server.close();
});

test("each status before output is its failure", async (context) => {
  const rows: [number, string, string, ProviderFailureCode, boolean, number | null][] = [
    [400, '{"error":{"message":"bad"}}', "", "provider_client_error", false, null],
    [401, '{"error":{"message":"key sk-secret"}}', "", "provider_unavailable", false, null],
    [404, "", "", "provider_unavailable", false, null],
    [429, "", "retry-after: 7\r\n", "provider_rate_limited", false, 7],
    [429, "", "retry-after-ms: 1200\r\n", "provider_rate_limited", false, 2],
    [429, '{"error":{"code":"insufficient_quota"}}', "retry-after: 7\r\n", "provider_unavailable", false, null],
    [500, "<html>oops</html>", "", "provider_unavailable", true, null],
    [500, "", "x-should-retry: false\r\n", "provider_unavailable", false, null],
    [500, "", "x-should-retry: true\r\n", "provider_unavailable", true, null],
    [502, "", "", "provider_unavailable", true, null],
    [503, "", "", "provider_unavailable", true, null],
    [503, '{"error":"overloaded"}', "", "provider_overloaded", true, null],
    [504, "", "", "provider_unavailable", true, null],
    [529, "", "", "provider_overloaded", false, null],
    [302, "", "location: http://127.0.0.1:1/\r\n", "provider_unavailable", false, null],
  ];
  let row = 0;
  const { provider } = await setUp(context, ({ socket }) => {
    const [status, body, headers] = rows[row] ?? [500, "", ""];
    writeAnswer(socket, status, body, headers);
  });
  for (; row < rows.length; row++) {
    const [status, , , code, certainlyNotRun, retryAfterSeconds] = rows[row] as (typeof rows)[number];
    const failure = assertFailure(await run(provider), code, certainlyNotRun);
    assert.deepEqual([failure.status, failure.retryAfterSeconds], [status, retryAfterSeconds]);
    assert.deepEqual([failure.requestId, failure.provider], ["req_wire", "local"]);
  }
});

test("an error body without end is read to its bound, then its connection is closed", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    socket.write("HTTP/1.1 400 X\r\ntransfer-encoding: chunked\r\n\r\n");
    void flood(socket, httpChunk("x".repeat(16_384)), 100_000_000);
  });
  const failure = assertFailure(await run(provider), "provider_client_error", false);
  assert.ok(failure.message.length < 600);
  await server.closed();
});

test("an error body that stalls does not hold its failure back for ever", async (context) => {
  const { provider, clock, server } = await setUp(context, ({ socket }) => {
    socket.write(`HTTP/1.1 400 X\r\ncontent-length: ${ERROR_BODY_BYTES_MAX}\r\n\r\n{"error"`);
  });
  const ran = run(provider);
  while (clock.pending === 0) await setImmediate();
  clock.advance(LINGER_MS);
  assertFailure(await ran, "provider_client_error", false);
  await server.closed();
});

test("a connection lost after the request was sent may have run", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => socket.destroy());
  const failure = assertFailure(await run(provider), "provider_unavailable", false);
  assert.equal(failure.message, "The connection to the provider was lost.");
});

test("a connection lost in the midst of a stream keeps what came before", async (context) => {
  for (const lose of [
    (request: WireRequest) => request.socket.end(),
    (request: WireRequest) => request.socket.resetAndDestroy(),
  ]) {
    let request: WireRequest | null = null;
    const { provider } = await setUp(context, (came) => {
      request = came;
      writeHead(came.socket);
      came.socket.write(httpChunk(textEvent("Half")));
    });
    const ran = await run(provider, undefined, () => request !== null && lose(request));
    const failure = assertFailure(ran, "provider_unavailable", false);
    assert.deepEqual([failure.status, failure.requestId], [200, "req_wire"]);
    assert.equal(foldParts(ran.parts).text, "Half");
  }
});

test("what stands before bytes that are no text counts, also in the same read", async (context) => {
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

test("a connection lost after the model had ended costs nothing", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.end(httpChunk(textEvent("Whole") + FINISH_EVENT));
  });
  const { parts, failure } = await run(provider);
  assert.equal(failure, null);
  assert.deepEqual([foldParts(parts).text, foldParts(parts).warnings], ["Whole", ["usage_estimated"]]);
});

test("answers that make no sense are provider_error", async (context) => {
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
    ["compressed bytes", ({ socket }) => writeAnswer(socket, 200, gzipSync(WHOLE), "content-encoding: gzip\r\n")],
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

/** Writes pieces for as long as the other side takes them; answers how many bytes were given to the socket. */
function flood(socket: WireRequest["socket"], piece: Uint8Array, bytesMax: number): Promise<number> {
  return new Promise((resolve) => {
    let sent = 0;
    const fill = () => {
      let takes = true;
      while (takes && sent < bytesMax && !socket.destroyed) {
        takes = socket.write(piece);
        sent += piece.length;
      }
      if (sent >= bytesMax) resolve(sent);
    };
    socket.on("drain", fill);
    socket.on("close", () => resolve(sent));
    fill();
  });
}

test("a line of 100 MB is given up after its first one, and its connection closed", async (context) => {
  let sent = Promise.resolve(0);
  const { server, provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(`${textEvent("Half")}data: {"choices":"`));
    sent = flood(socket, httpChunk("x".repeat(65_536)), 100_000_000);
  });
  const ran = await run(provider);
  const failure = assertFailure(ran, "provider_error", false);
  assert.match(failure.message, /longer than its bound/);
  assert.equal(foldParts(ran.parts).text, "Half");
  await server.closed();
  assert.ok((await sent) < 20_000_000, `${await sent} bytes were taken`);
});

test("a stream without end is given up after 64 MiB", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    void flood(socket, httpChunk(`: ${"x".repeat(262_144)}\n\n`), 200_000_000);
  });
  const failure = assertFailure(await run(provider), "provider_error", false);
  assert.match(failure.message, /an answer longer than its bound/);
  await server.closed();
});

test("an answer in one JSON document is read, whatever its content type says", async (context) => {
  const document =
    '{"choices":[{"index":0,"message":{"content":"Whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}';
  const { provider } = await setUp(context, ({ socket }) =>
    writeAnswer(socket, 200, document, "content-type: text/event-stream\r\n"),
  );
  const { parts, failure } = await run(provider);
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "Whole");
});

test("interim answers are passed over", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => {
    socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
    writeAnswer(socket, 200, WHOLE);
  });
  assert.equal((await run(provider)).failure, null);
});

test("an abort before the request makes no connection", async (context) => {
  const { server, provider } = await setUp(context, () => {});
  assertFailure(await run(provider, AbortSignal.abort()), "canceled", false);
  assert.equal(server.opened, 0);
});

test("an abort while connecting, waiting and reading closes the connection at once, and nothing is heard after it", async (context) => {
  const moments: [string, (request: WireRequest) => void, "connecting" | "waiting" | "reading"][] = [
    ["connecting", () => {}, "connecting"],
    ["waiting for the head", () => {}, "waiting"],
    [
      "reading",
      ({ socket }) => {
        writeHead(socket);
        socket.write(httpChunk(textEvent("Half")));
        socket.on("drain", () => {});
      },
      "reading",
    ],
  ];
  for (const [name, script, moment] of moments) {
    await context.test(name, async (inner) => {
      const controller = new AbortController();
      const { server, provider } = await setUp(inner, script);
      const ran = run(provider, controller.signal, () => {
        if (moment === "reading") controller.abort();
      });
      if (moment === "connecting") controller.abort();
      if (moment === "waiting") {
        while (server.requests.length === 0) await setImmediate();
        controller.abort();
      }
      const ended = await ran;
      assertFailure(ended, "canceled", false);
      assert.equal(ended.parts.length, moment === "reading" ? 1 : 0);
      // The connection that was being made is made, and then closed without a word.
      while (server.opened === 0) await setImmediate();
      while (server.open > 0 && server.requests.length <= (moment === "connecting" ? 0 : 1)) await setImmediate();
      assert.equal(server.requests.length, moment === "connecting" ? 0 : 1);
    });
  }
});

test("an abort after the end does nothing to the kept connection", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => writeAnswer(socket, 200, WHOLE));
  const controller = new AbortController();
  assert.equal((await run(provider, controller.signal)).failure, null);
  controller.abort();
  await setImmediate();
  assert.equal((await run(provider)).failure, null);
  assert.equal(server.opened, 1);
});

test("[DONE] ends the answer, also when the body stays open; its connection is closed after a while", async (context) => {
  const { server, provider, clock } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(WHOLE));
  });
  assert.equal((await run(provider)).failure, null);
  assert.equal(server.open, 1);
  clock.advance(LINGER_MS);
  await server.closed();
});

test("a model that has ended ends the answer after a while, also without [DONE]", async (context) => {
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

test("what comes after the model's end is read on: gateways say with every chunk that it has ended", async (context) => {
  const { server, provider, clock } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(textEvent("A") + FINISH_EVENT));
  });
  const texts = ["B", "C"];
  const sendMore = () => {
    const socket = server.requests[0]?.socket;
    const text = texts.shift();
    // The last word is long past when the next one comes, the silence is not.
    clock.advance(LINGER_MS - 1);
    socket?.write(text === undefined ? LAST_CHUNK : httpChunk(textEvent(text) + FINISH_EVENT));
  };
  const { parts, failure } = await run(provider, undefined, () => void setImmediate().then(sendMore));
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "ABC");
});

test("a fault of the receiver is handed back as it is, and the connection closed", async (context) => {
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

test("many turns at once each get their own answer", async (context) => {
  const { provider } = await setUp(context, ({ socket, connection }) => {
    writeHead(socket);
    for (const piece of [textEvent(`${connection} `), FINISH_EVENT, USAGE_EVENT, DONE_EVENT])
      socket.write(httpChunk(piece));
    socket.write(LAST_CHUNK);
  });
  const ran = await Promise.all(Array.from({ length: 64 }, () => run(provider)));
  const texts = ran.map(({ parts, failure }) => {
    assert.equal(failure, null);
    return foldParts(parts).text;
  });
  assert.equal(new Set(texts).size, 64);
});

test("close lets every connection go, and fails what still runs", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => writeHead(socket));
  const ran = run(provider);
  while (server.requests.length === 0) await setImmediate();
  await provider.close();
  assertFailure(await ran, "provider_unavailable", false);
  await server.closed();
});
