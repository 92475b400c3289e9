// The provider against a server that behaves as OpenAI does, well and badly.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Ids } from "../../../src/ports/ids.ts";
import { UpstreamError, type ProviderPart } from "../../../src/ports/provider.ts";
import { LINGER_MS } from "../../../src/providers/wire/bounds.ts";
import { createOpenAiProvider } from "../../../src/providers/openai/provider.ts";
import { until } from "../../support/until.ts";
import { loopTurns } from "../../support/event-loop.ts";
import { createManualClock, foldParts, sampleModel, samplePrompt } from "../../support/provider-samples.ts";
import type { UpstreamErrorCode } from "../../../src/providers/wire/error-codes.ts";
import { httpChunk, LAST_CHUNK, startWireServer, type WireRequest, writeAnswer, writeHead } from "../wire-server.ts";
import { CORPUS } from "./corpus.ts";

const KEY = "sk-secret";

async function setUp(context: TestContext, script: (request: WireRequest) => void) {
  const server = await startWireServer(script);
  const clock = createManualClock();
  const ids = { mintCallId: () => "call_minted" } as Ids;
  const provider = createOpenAiProvider({ name: "openai", baseUrl: server.url, apiKey: KEY }, { clock, ids });
  context.after(async () => {
    await provider.close();
    await server.closed();
    await server.close();
    assert.equal(clock.pending, 0, "no timer is left");
  });
  const run = async (text = "Hi", signal = new AbortController().signal, listen?: () => void) => {
    const parts: ProviderPart[] = [];
    const call = { model: sampleModel(), prompt: samplePrompt(text), thread: "t", cacheKey: () => "cache-key", signal };
    try {
      await provider.run(call, (ready) => {
        parts.push(...ready);
        listen?.();
      });
      return { parts, failure: null };
    } catch (error) {
      if (error instanceof UpstreamError) return { parts, failure: error };
      throw error;
    }
  };
  return { server, clock, run };
}

function bytesOf(name: string): Buffer {
  const fixture = CORPUS.find((one) => one.name === name);
  assert.ok(fixture !== undefined);
  return fixture.bytes;
}

function writeStream({ socket }: WireRequest, bytes: Uint8Array, pieces = 1): void {
  writeHead(socket);
  const size = Math.ceil(bytes.length / pieces);
  for (let start = 0; start < bytes.length; start += size) socket.write(httpChunk(bytes.subarray(start, start + size)));
}

test("a request is one POST with the key; its response is read to the end", async (context) => {
  const { server, run } = await setUp(context, (request) => {
    writeStream(request, bytesOf("text"), 7);
    request.socket.write(LAST_CHUNK);
  });
  const { parts, failure } = await run();
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "Hello there, wörld 🎉漢字!");
  const [request] = server.requests;
  assert.match(request?.head ?? "", /^POST \/v1\/responses HTTP\/1\.1\r\n/);
  assert.match(request?.head ?? "", /\r\nauthorization: Bearer sk-secret(\r\n|$)/);
  assert.deepEqual(JSON.parse(request?.body ?? ""), {
    model: "llama3.3:70b",
    input: [{ type: "message", role: "user", content: "Hi" }],
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "cache-key",
  });
});

test("the first events repeat the request: their lines may be as long as it is", async (context) => {
  const instructions = "x".repeat(3 * 1024 * 1024);
  const { run } = await setUp(context, (request) => {
    writeHead(request.socket);
    const echo = { type: "response.created", response: { status: "in_progress", instructions } };
    request.socket.write(httpChunk(`data: ${JSON.stringify(echo)}\n\n`));
    request.socket.write(httpChunk(bytesOf("text")));
    request.socket.write(LAST_CHUNK);
  });
  assert.equal((await run(instructions)).failure, null);
});

interface Fault {
  readonly name: string;
  readonly script: (request: WireRequest) => void;
  readonly code: UpstreamErrorCode;
  readonly certainlyNotRun?: boolean;
  readonly status?: number | null;
  readonly retryAfterSeconds?: number;
  readonly text?: string;
}

const error = (code: string, type: string) => JSON.stringify({ error: { message: "why", type, param: null, code } });
const half = () => bytesOf("broken-no-end");

const FAULTS: readonly Fault[] = [
  {
    name: "a wrong key",
    script: ({ socket }) => writeAnswer(socket, 401, error("invalid_api_key", "invalid_request_error")),
    code: "provider_unavailable",
    status: 401,
  },
  {
    name: "a rate limit",
    script: ({ socket }) =>
      writeAnswer(socket, 429, error("rate_limit_exceeded", "tokens"), "retry-after-ms: 2400\r\nretry-after: 3\r\n"),
    code: "provider_rate_limited",
    status: 429,
    retryAfterSeconds: 3,
  },
  {
    name: "an account without money",
    script: ({ socket }) =>
      writeAnswer(socket, 429, error("insufficient_quota", "insufficient_quota"), "retry-after: 3\r\n"),
    code: "provider_unavailable",
    status: 429,
  },
  {
    name: "overload",
    script: ({ socket }) => writeAnswer(socket, 503, error("server_is_overloaded", "service_unavailable_error")),
    code: "provider_overloaded",
    certainlyNotRun: true,
    status: 503,
  },
  {
    name: "an internal error",
    script: ({ socket }) => writeAnswer(socket, 500, error("server_error", "server_error")),
    code: "provider_unavailable",
    status: 500,
  },
  {
    name: "overload in the midst of a stream",
    script: (request) => writeStream(request, bytesOf("error-overloaded")),
    code: "provider_overloaded",
    status: 200,
    text: "Half",
  },
  {
    name: "a reset in the midst of a stream",
    script: (request) => {
      writeStream(request, half());
      void loopTurns().then(() => request.socket.resetAndDestroy());
    },
    code: "provider_unavailable",
    status: 200,
    text: "Half",
  },
  {
    name: "an end in the midst of a stream",
    script: (request) => {
      writeStream(request, half());
      request.socket.write(LAST_CHUNK);
    },
    code: "provider_error",
    status: 200,
    text: "Half",
  },
  {
    name: "a reset before any answer",
    script: ({ socket }) => socket.resetAndDestroy(),
    code: "provider_unavailable",
    status: null,
  },
  {
    name: "garbage instead of HTTP",
    script: ({ socket }) => socket.end("SSH-2.0-OpenSSH\r\n\r\n"),
    code: "provider_error",
    status: null,
  },
  {
    name: "a page instead of a stream",
    script: ({ socket }) => writeAnswer(socket, 200, "<!doctype html>"),
    code: "provider_error",
    status: 200,
  },
  {
    name: "bytes that are no text",
    script: (request) => writeStream(request, Buffer.concat([half(), Buffer.from([0xff, 0xfe, 0x0a])])),
    code: "provider_error",
    status: 200,
    text: "Half",
  },
  {
    name: "a line without end",
    script: (request) => {
      writeHead(request.socket);
      const endless = `data: {"type":"response.output_text.delta","delta":"${"x".repeat(1024 * 1024)}`;
      request.socket.write(httpChunk(endless));
      for (let count = 0; count < 9; count++) request.socket.write(httpChunk("x".repeat(1024 * 1024)));
    },
    code: "provider_error",
    status: 200,
  },
];

for (const { name, script, code, certainlyNotRun = false, status, retryAfterSeconds = null, text = "" } of FAULTS) {
  test(`${name} is ${code}`, async (context) => {
    const { run } = await setUp(context, script);
    const { parts, failure } = await run();
    assert.ok(failure !== null);
    assert.deepEqual(
      [failure.code, failure.certainlyNotRun, failure.status, failure.retryAfterSeconds],
      [code, certainlyNotRun, status, retryAfterSeconds],
    );
    assert.ok(!failure.message.includes(KEY));
    assert.equal(failure.requestId, status === null ? null : "req_wire");
    assert.equal(foldParts(parts).text, text);
  });
}

test("an abort closes the connection of a provider that hangs", async (context) => {
  const { server, run } = await setUp(context, (request) => writeStream(request, half()));
  const controller = new AbortController();
  const { parts, failure } = await run("Hi", controller.signal, () => controller.abort());
  assert.equal(failure?.code, "canceled");
  assert.equal(foldParts(parts).text, "Half");
  await server.closed();
});

test("of two calls at once, one whose include is rejected is sent again, and one that is rejected for another reason is not", async (context) => {
  const waiting: WireRequest[] = [];
  const reject = (text: string, reason: object) => {
    const request = waiting.find(({ body }) => body.includes(text));
    assert.ok(request !== undefined);
    writeAnswer(request.socket, 400, JSON.stringify({ error: reason }));
  };
  const { run } = await setUp(context, (request) => {
    if (waiting.push(request) === 3) writeStream(request, bytesOf("text"));
  });
  const runs = [run("first"), run("second")];
  await until("the requests", () => waiting.length === 2);
  reject("first", { message: "Encrypted content is not supported with this model.", param: "include" });
  await until("the requests", () => waiting.length === 3);
  reject("second", { message: "Invalid value.", param: "tools" });
  const [again, other] = await Promise.all(runs);
  assert.deepEqual([again?.failure, other?.failure?.code], [null, "provider_client_error"]);
  assert.equal(waiting.length, 3);
});

test("a finished response whose body stays open is settled at once; its connection is closed after a while", async (context) => {
  const { server, clock, run } = await setUp(context, (request) => writeStream(request, bytesOf("text")));
  const { failure } = await run();
  assert.equal(failure, null);
  assert.equal(server.open, 1);
  clock.advance(LINGER_MS);
  await server.closed();
});

test("without a base URL the provider is at OpenAI's own address", () => {
  const entry = { name: "openai", baseUrl: null, apiKey: KEY };
  assert.doesNotThrow(() => createOpenAiProvider(entry, { clock: createManualClock(), ids: {} as Ids }));
});
