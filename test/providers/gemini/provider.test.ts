import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { LINGER_MS } from "../../../src/providers/wire/bounds.ts";
import { createGeminiProvider } from "../../../src/providers/gemini/provider.ts";
import { createManualClock, foldParts, sampleModel, samplePrompt } from "../../support/provider-samples.ts";
import type { Ids } from "../../../src/ports/ids.ts";
import { type Provider, UpstreamError, type ProviderPart } from "../../../src/ports/provider.ts";
import { CORPUS, readFixture } from "./corpus.ts";
import {
  beginStream,
  type GeminiServer,
  reportError,
  retryInfo,
  startGeminiServer,
  streamBytes,
  streamFixture,
  streamParts,
} from "./gemini-server.ts";
import { writeAnswer } from "../wire-server.ts";

const KEY = "AIza-canary";

interface Bench {
  readonly server: GeminiServer;
  readonly provider: Provider;
  readonly clock: ReturnType<typeof createManualClock>;
}

/** A server, and a provider that uses it. Both close when the test ends; no connection may be left. */
async function setUp(context: TestContext, path = ""): Promise<Bench> {
  const server = await startGeminiServer();
  const clock = createManualClock();
  let minted = 0;
  const ids = { mintCallId: () => `minted_${++minted}` } as Ids;
  const entry = { name: "gemini", baseUrl: server.baseUrl + path, apiKey: KEY };
  const provider = createGeminiProvider(entry, { clock, ids });
  context.after(async () => {
    await provider.close();
    await server.wire.closed();
    await server.wire.close();
    assert.equal(clock.pending, 0, "no timer is left");
  });
  return { server, provider, clock };
}

const MODEL = sampleModel({ id: "google/gemini-3.8-flash", upstreamModel: "gemini-3.8-flash" });

/** Runs a round; a failure is a value. */
async function run(provider: Provider, more: { signal?: AbortSignal; listen?: () => void; model?: typeof MODEL } = {}) {
  const { signal = new AbortController().signal, listen, model = MODEL } = more;
  const parts: ProviderPart[] = [];
  try {
    const prompt = samplePrompt([
      { type: "message", role: "user", text: "?" },
      { type: "call", callId: "call_0", name: null, arguments: "{}" },
    ]);
    await provider.run({ model, prompt, thread: "t", cacheKey: () => "key", signal }, (ready) => {
      parts.push(...ready);
      listen?.();
    });
    return { parts, failure: null };
  } catch (error) {
    if (error instanceof UpstreamError) return { parts, failure: error };
    throw error;
  }
}

test("a request is one POST to the model's stream, with the key in its header and nowhere else", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(streamFixture("text"));
  const { parts, failure } = await run(provider);
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "Hello there, wörld 🎉漢字!");
  const [request] = server.wire.requests;
  const [line = "", ...headers] = request?.head.split("\r\n") ?? [];
  assert.equal(line, "POST /v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse HTTP/1.1");
  assert.ok(headers.includes(`x-goog-api-key: ${KEY}`));
  assert.ok(!line.includes(KEY) && !request?.body.includes(KEY));
});

test("a version, a path and a query of the base URL are kept; a tuned model has its own collection", async (context) => {
  const { server, provider } = await setUp(context, "/proxy/v1alpha/?team=a");
  await run(provider);
  await run(provider, { model: sampleModel({ upstreamModel: "tunedModels/a b" }) });
  const lines = server.wire.requests.map(({ head }) => head.split("\r\n")[0]);
  assert.deepEqual(lines, [
    "POST /proxy/v1alpha/models/gemini-3.8-flash:streamGenerateContent?team=a&alt=sse HTTP/1.1",
    "POST /proxy/v1alpha/tunedModels/a%20b:streamGenerateContent?team=a&alt=sse HTTP/1.1",
  ]);
});

test("the address is Google's own unless another is set", async () => {
  const services = { clock: createManualClock(), ids: {} as Ids };
  await createGeminiProvider({ name: "gemini", baseUrl: null, apiKey: KEY }, services).close();
  assert.throws(() => createGeminiProvider({ name: "gemini", baseUrl: "nowhere", apiKey: KEY }, services), /base_url/);
});

for (const { name, responses, folded, failure } of CORPUS) {
  test(`${name} decodes to its expected parts over a network`, async (context) => {
    const { server, provider } = await setUp(context);
    server.script(...responses.map((bytes) => streamBytes(bytes)));
    const ran = await run(provider);
    assert.equal(ran.failure?.code ?? null, failure);
    assert.deepEqual(foldParts(ran.parts), folded);
    assert.equal(ran.failure?.certainlyNotRun ?? false, false);
  });
}

test("a split response is continued by the same request with its token", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(streamFixture("continuation-1"), streamFixture("continuation-2"));
  await run(provider);
  const [first, second] = server.bodies;
  assert.deepEqual(second, { ...first, continuationToken: "tok-1" });
});

test("a continuation that gets an error fails the round, which ran", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(streamFixture("continuation-1"), reportError(503, "UNAVAILABLE"));
  const { failure, parts } = await run(provider);
  assert.deepEqual([failure?.code, failure?.certainlyNotRun], ["provider_overloaded", false]);
  assert.equal(foldParts(parts).text, "Once upon 🎉");
});

test("a continuation that cannot be sent fails the round, which ran", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(({ socket }) => {
    server.wire.stopListening();
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    socket.end(readFixture("continuation-1"));
  });
  const { failure } = await run(provider);
  assert.deepEqual([failure?.code, failure?.certainlyNotRun], ["provider_unavailable", false]);
  assert.equal(server.bodies.length, 1);
});

test("no continuation is requested after the turn is stopped", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(streamFixture("continuation-1"));
  const controller = new AbortController();
  const { failure } = await run(provider, { signal: controller.signal, listen: () => controller.abort() });
  assert.equal(failure?.code, "canceled");
  assert.equal(server.bodies.length, 1);
});

test("an overloaded provider has certainly not run the round, a rate limit has its Retry-After", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(reportError(503, "UNAVAILABLE"), reportError(429, "RESOURCE_EXHAUSTED", "quota", [retryInfo("34s")]));
  const { failure: overloaded } = await run(provider);
  assert.deepEqual([overloaded?.code, overloaded?.certainlyNotRun], ["provider_overloaded", true]);
  const { failure: limited } = await run(provider);
  assert.deepEqual(
    [limited?.code, limited?.certainlyNotRun, limited?.retryAfterSeconds],
    ["provider_rate_limited", false, 34],
  );
});

const FIRST_EVENT = readFixture("text").toString("utf8").split("\r\n\r\n")[0] + "\r\n\r\n";

test("a connection that is reset keeps what came and fails as unavailable, which may have run", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(
    ({ socket }) => socket.resetAndDestroy(),
    beginStream(FIRST_EVENT, ({ socket }) => socket.resetAndDestroy()),
    beginStream(FIRST_EVENT, ({ socket }) => socket.destroy()),
  );
  for (const text of ["", "Hello", "Hello"]) {
    const { parts, failure } = await run(provider);
    assert.deepEqual([failure?.code, failure?.certainlyNotRun], ["provider_unavailable", false]);
    assert.equal(foldParts(parts).text, text);
  }
});

test("a hanging connection closes as soon as the turn is stopped", async (context) => {
  const { server, provider } = await setUp(context);
  const controller = new AbortController();
  server.script(
    beginStream(FIRST_EVENT, () => {}),
    () => controller.abort(),
  );
  const first = new AbortController();
  const { failure, parts } = await run(provider, { signal: first.signal, listen: () => first.abort() });
  assert.deepEqual([failure?.code, foldParts(parts).text], ["canceled", "Hello"]);
  assert.equal((await run(provider, { signal: controller.signal })).failure?.code, "canceled");
  await server.wire.closed();
});

test("a response whose body stays open after its end is over after a while", async (context) => {
  const { server, provider, clock } = await setUp(context);
  server.script(beginStream(readFixture("text"), () => {}));
  const running = run(provider);
  while (clock.pending === 0) await setImmediate();
  clock.advance(LINGER_MS);
  const { parts, failure } = await running;
  assert.equal(failure, null);
  assert.equal(foldParts(parts).incompleteReason, null);
});

const GARBAGE: readonly (readonly [name: string, bytes: Uint8Array | string])[] = [
  ["a page", "<html>hello</html>"],
  ["bytes that are no UTF-8", Buffer.from([0x64, 0x61, 0x74, 0x61, 0xff, 0xfe, 0x0a, 0x0a])],
  ["an event without end", `data: ${"x".repeat(2_000_000)}`],
  ["lines without events", "\n".repeat(10_000)],
];
for (const [name, bytes] of GARBAGE) {
  test(`${name} in place of a response is a provider_error`, async (context) => {
    const { server, provider } = await setUp(context);
    server.script(({ socket }) => writeAnswer(socket, 200, bytes));
    const { failure } = await run(provider);
    assert.deepEqual([failure?.code, failure?.certainlyNotRun], ["provider_error", false]);
  });
}

test("a request id in a header takes precedence over that of the chunks", async (context) => {
  const { server, provider } = await setUp(context);
  server.script(({ socket }) => writeAnswer(socket, 200, readFixture("broken-no-finish")));
  assert.equal((await run(provider)).failure?.requestId, "req_wire");
});

test("the key never appears in a message, whatever the provider sends", async (context) => {
  const { server, provider } = await setUp(context);
  const words = `key=${KEY} is wrong`;
  server.script(
    reportError(400, "INVALID_ARGUMENT", words),
    reportError(403, "PERMISSION_DENIED", words),
    streamBytes(
      Buffer.from(`data: ${JSON.stringify({ error: { code: 400, status: "INVALID_ARGUMENT", message: words } })}\n\n`),
    ),
    streamParts([], KEY),
  );
  for (let round = 0; round < 4; round++) {
    const { failure } = await run(provider);
    assert.ok(failure !== null);
    assert.ok(!failure.message.includes(KEY), failure.message);
    assert.ok(!String((failure.cause as Error | undefined)?.message).includes(KEY));
  }
});
