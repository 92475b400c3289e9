// The provider over a real socket: its requests, and the outcome of every fault of the wire.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createAnthropicProvider } from "../../../src/providers/anthropic/provider.ts";
import { loopTurns } from "../../support/event-loop.ts";
import {
  createManualClock,
  foldParts,
  sampleModel,
  samplePrompt,
  userMessage,
} from "../../support/provider-samples.ts";
import type { UpstreamErrorCode } from "../../../src/providers/wire/error-codes.ts";
import type { PromptItem } from "../../../src/core/response/prompt.ts";
import type { Ids } from "../../../src/ports/ids.ts";
import { type Provider, UpstreamError, type ProviderPart } from "../../../src/ports/provider.ts";
import {
  httpChunk,
  LAST_CHUNK,
  startWireServer,
  type WireRequest,
  type WireServer,
  writeAnswer,
} from "../wire-server.ts";
import { CORPUS, CORPUS_ITEMS } from "./corpus.ts";

const KEY = "sk-ant-canary";
const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nrequest-id: req_wire\r\ntransfer-encoding: chunked\r\n\r\n";

const bytesOf = (name: string) => {
  const fixture = CORPUS.find((candidate) => candidate.name === name);
  if (fixture === undefined) throw new Error(`no fixture ${name}`);
  return fixture.bytes;
};

/**
 * A server that follows the script, and a provider that uses it. Both close when the test ends; no connection may be
 * left.
 */
async function setUp(context: TestContext, script: (request: WireRequest) => void, path = "/") {
  const server: WireServer = await startWireServer(script);
  const clock = createManualClock();
  const provider = createProvider(new URL(path, server.url).href, clock);
  context.after(async () => {
    await provider.close();
    await server.closed();
    await server.close();
    assert.equal(clock.pending, 0, "no timer is left");
  });
  return { server, provider, clock };
}

function createProvider(baseUrl: string | null, clock = createManualClock(), apiKey: string | null = KEY): Provider {
  const ids = { mintCallId: () => "call_minted" } as Ids;
  return createAnthropicProvider({ name: "anthropic", baseUrl, apiKey }, { clock, ids });
}

interface Ran {
  readonly parts: ProviderPart[];
  readonly failure: UpstreamError | null;
}

interface Round {
  readonly items?: readonly PromptItem[];
  readonly upstreamModel?: string;
  readonly signal?: AbortSignal;
  /** Called with each batch of parts. */
  readonly listen?: () => void;
}

/** Runs a round; a failure is a value. */
async function run(provider: Provider, round: Round = {}): Promise<Ran> {
  const { items = [userMessage("Hi")], upstreamModel = "claude-opus-5", listen } = round;
  const { signal } = round.signal === undefined ? new AbortController() : { signal: round.signal };
  const parts: ProviderPart[] = [];
  const model = sampleModel({ id: "anthropic/claude", upstreamModel, thinking: { effort: "high" } });
  try {
    await provider.run({ model, prompt: samplePrompt(items), thread: "t", cacheKey: () => "key", signal }, (ready) => {
      parts.push(...ready);
      listen?.();
    });
    return { parts, failure: null };
  } catch (error) {
    if (error instanceof UpstreamError) return { parts, failure: error };
    throw error;
  }
}

function assertFailure({ failure }: Ran, code: UpstreamErrorCode, certainlyNotRun = false): UpstreamError {
  assert.ok(failure !== null, "it failed");
  assert.deepEqual([failure.code, failure.certainlyNotRun], [code, certainlyNotRun], failure.message);
  assert.ok(!failure.message.includes(KEY));
  return failure;
}

/** Streams bytes in HTTP chunks of a size that respects no event, then ends the body. */
function stream({ socket }: WireRequest, bytes: Uint8Array, size = 61): void {
  socket.write(STREAM_HEAD);
  for (let start = 0; start < bytes.length; start += size) socket.write(httpChunk(bytes.subarray(start, start + size)));
  socket.write(LAST_CHUNK);
}

test("a request has its path, headers and body", async (context) => {
  const { server, provider } = await setUp(context, (request) => stream(request, bytesOf("text")));
  await run(provider);
  const [request] = server.requests;
  assert.ok(request !== undefined);
  const { head } = request;
  assert.match(head, /^POST \/v1\/messages HTTP\/1\.1\r\n/);
  for (const line of [
    `x-api-key: ${KEY}`,
    "anthropic-version: 2026-10-21",
    "content-type: application/json",
    "accept-encoding: identity",
  ]) {
    assert.match(head, new RegExp(`\r\n${line}(\r\n|$)`));
  }
  assert.doesNotMatch(head, /authorization|anthropic-beta/i);
  assert.equal(JSON.parse(request.body).stream, true);
});

test("a base URL with /v1 equals one without; a path before it is kept", async (context) => {
  for (const [path, line] of [
    ["/", "/v1/messages"],
    ["/v1", "/v1/messages"],
    ["/v1/", "/v1/messages"],
    ["/proxy/anthropic/", "/proxy/anthropic/v1/messages"],
  ] as const) {
    const { server, provider } = await setUp(context, (request) => stream(request, bytesOf("text")), path);
    await run(provider);
    assert.ok(server.requests[0]?.head.startsWith(`POST ${line} HTTP`), path);
  }
});

test("the base URL defaults to the provider's; without a key none is sent; a key that no header can carry is an error", async (context) => {
  await createProvider(null).close();
  assert.throws(
    () => createProvider(null, createManualClock(), "a\nb"),
    /contains characters that no header can contain/,
  );
  const server = await startWireServer((request) => stream(request, bytesOf("text")));
  const provider = createProvider(server.url, createManualClock(), null);
  context.after(async () => {
    await provider.close();
    await server.close();
  });
  await run(provider);
  assert.doesNotMatch(server.requests[0]?.head ?? "", /x-api-key/);
});

test("a bound model's request has the beta header of its block_binding", async (context) => {
  const { server, provider } = await setUp(context, (request) => stream(request, bytesOf("text")));
  await run(provider, { upstreamModel: "claude-opus-5-5" });
  assert.match(server.requests[0]?.head ?? "", /\r\nanthropic-beta: thinking-binding-controls-2026-08-01\r\n/);
});

test("every stream of the corpus decodes over the wire in chunks of any size", async (context) => {
  for (const { name, bytes, folded, failure } of CORPUS) {
    const size = 1 + ((name.length * 37) % 150);
    const { provider } = await setUp(context, (request) => stream(request, bytes, size));
    const ran = await run(provider, { items: CORPUS_ITEMS });
    assert.equal(ran.failure?.code ?? null, failure, name);
    if (!name.endsWith("id-taken")) assert.deepEqual(foldParts(ran.parts), folded, name);
    if (ran.failure !== null) assert.equal(ran.failure.requestId, "req_wire");
  }
});

test("warnings of the request precede the response, but not a failure", async (context) => {
  let count = 0;
  const { provider } = await setUp(context, (request) => {
    if (++count === 1) writeAnswer(request.socket, 529, "");
    else stream(request, bytesOf("text"));
  });
  const items: PromptItem[] = [
    userMessage("1"),
    { type: "assistant", text: "", isRefusal: true, phase: null },
    userMessage("2"),
  ];
  const failed = await run(provider, { items });
  assertFailure(failed, "provider_overloaded");
  assert.deepEqual(failed.parts, []);
  const { parts } = await run(provider, { items });
  assert.equal(parts[0]?.type, "warning");
});

test("an error response keeps its status, id, Retry-After and reason, without the key", async (context) => {
  const body = JSON.stringify({
    type: "error",
    error: { type: "rate_limit_error", message: `slow ${KEY}` },
    request_id: "req_b",
  });
  const { provider } = await setUp(context, ({ socket }) => writeAnswer(socket, 429, body, "retry-after: 12\r\n"));
  const failure = assertFailure(await run(provider), "provider_rate_limited");
  assert.deepEqual([failure.status, failure.requestId, failure.retryAfterSeconds], [429, "req_wire", 12]);
});

test("a server that is down has certainly not run the round", async () => {
  const server = await startWireServer(() => {});
  await server.close();
  const provider = createProvider(server.url);
  assertFailure(await run(provider), "provider_unavailable", true);
  await provider.close();
});

test("a connection reset before or within the response fails, one reset after it does not", async (context) => {
  const whole = bytesOf("text");
  const rows: [number, UpstreamErrorCode | null][] = [
    [0, "provider_unavailable"],
    [whole.length - 60, "provider_unavailable"],
    // Its last event had arrived.
    [whole.length, null],
  ];
  for (const [length, code] of rows) {
    const { provider } = await setUp(context, ({ socket }) => {
      if (length === 0) socket.resetAndDestroy();
      else {
        socket.write(STREAM_HEAD);
        socket.write(httpChunk(whole.subarray(0, length)), () => void loopTurns().then(() => socket.resetAndDestroy()));
      }
    });
    const ran = await run(provider);
    if (code === null) assert.equal(ran.failure, null);
    else assertFailure(ran, code);
  }
});

test("garbage in place of HTTP, events or text is a provider_error", async (context) => {
  const scripts: ((request: WireRequest) => void)[] = [
    ({ socket }) => socket.end("what?\r\n\r\n"),
    (request) => stream(request, Buffer.from("\u0001\u0002 nothing of the kind\n\n")),
    (request) => stream(request, Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a])),
    (request) => stream(request, Buffer.concat([bytesOf("broken-cut"), Buffer.from("data: \n\ndata: [DONE]\n\n")])),
  ];
  for (const script of scripts) {
    const { provider } = await setUp(context, script);
    assertFailure(await run(provider), "provider_error");
  }
});

test("a line without an end costs bounded memory", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => {
    socket.write(STREAM_HEAD);
    const chunk = httpChunk(Buffer.alloc(64 * 1024, 0x61));
    socket.write(httpChunk('data: {"type":"'));
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", pump);
    pump();
  });
  assertFailure(await run(provider), "provider_error");
});

test("a hanging stream closes as soon as the turn is stopped", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(httpChunk(bytesOf("broken-cut")));
  });
  const stop = new AbortController();
  const ran = await run(provider, { signal: stop.signal, listen: () => stop.abort() });
  assertFailure(ran, "canceled");
  assert.equal(foldParts(ran.parts).text, "Half");
  await server.closed();
});

test("pings after the last event do not delay the end", async (context) => {
  const { server, provider, clock } = await setUp(context, ({ socket }) => {
    socket.write(STREAM_HEAD);
    socket.write(httpChunk(bytesOf("text")));
    socket.write(httpChunk('event: ping\ndata: {"type":"ping"}\n\n'));
  });
  const ran = await run(provider);
  assert.equal(ran.failure, null);
  clock.advance(60_000);
  await server.closed();
});
