// Failures of a provider's connection, and whether the provider may have run the request.
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { ERROR_BODY_BYTES_MAX, LINGER_MS } from "../../src/providers/wire/bounds.ts";
import { foldParts } from "../support/provider-samples.ts";
import type { UpstreamErrorCode } from "../../src/providers/wire/error-codes.ts";
import {
  FINISH_EVENT,
  flood,
  httpChunk,
  startWireServer,
  textEvent,
  type WireRequest,
  writeAnswer,
  writeHead,
} from "./wire-server.ts";
import { setUp, createProvider, run, assertFailure } from "./transport-bench.ts";

test("a provider that is silent for longer than its timeout has failed, before its response and within it", async (context) => {
  const { server } = await setUp(context, ({ socket }) => {
    if (server.requests.length === 1) return;
    writeHead(socket);
    socket.write(httpChunk(textEvent("Hel")));
  });
  const provider = createProvider(server.url, undefined, { timeoutSeconds: 0.05 });
  context.after(() => provider.close());
  for (const text of ["", "Hel"]) {
    const ran = await run(provider);
    assert.equal(assertFailure(ran, "provider_unavailable", false).message, "The provider was silent for too long.");
    assert.equal(foldParts(ran.parts).text, text);
  }
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

test("each status before output has its failure", async (context) => {
  const rows: [number, string, string, UpstreamErrorCode, boolean, number | null][] = [
    [400, '{"error":{"message":"bad"}}', "", "provider_client_error", false, null],
    [401, '{"error":{"message":"key sk-secret"}}', "", "provider_unavailable", false, null],
    [404, "", "", "provider_unavailable", false, null],
    [429, "", "retry-after: 7\r\n", "provider_rate_limited", false, 7],
    [429, "", "retry-after-ms: 1200\r\n", "provider_rate_limited", false, 2],
    [429, '{"error":{"code":"insufficient_quota"}}', "retry-after: 7\r\n", "provider_unavailable", false, null],
    [500, "<html>oops</html>", "", "provider_unavailable", false, null],
    [502, "", "retry-after: 7\r\n", "provider_unavailable", false, null],
    [503, "", "", "provider_unavailable", true, null],
    [503, "", "retry-after: 7\r\n", "provider_unavailable", true, 7],
    [503, "", "x-should-retry: false\r\n", "provider_unavailable", false, null],
    [503, "", "x-should-retry: true\r\n", "provider_unavailable", true, null],
    [503, '{"error":"overloaded"}', "", "provider_overloaded", true, null],
    [504, "", "", "provider_unavailable", false, null],
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

test("an error body that stalls does not delay its failure for ever", async (context) => {
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

test("a connection lost before the whole request was sent certainly did not run", async () => {
  // Far more than the buffers of a connection hold.
  const text = "x".repeat(32 * 1024 * 1024);
  const server = await startWireServer(
    () => {},
    ({ socket }) => socket.resetAndDestroy(),
  );
  const provider = createProvider(server.url);
  const failure = assertFailure(await run(provider, undefined, undefined, text), "provider_unavailable", true);
  assert.equal(failure.message, "The connection to the provider was lost.");
  await provider.close();
  await server.close();
});

test("a connection lost after a long request was sent whole may have run", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => socket.destroy());
  const text = "x".repeat(2 * 1024 * 1024);
  assertFailure(await run(provider, undefined, undefined, text), "provider_unavailable", false);
});

test("a connection lost in the middle of a stream keeps the output before", async (context) => {
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

test("a connection lost after the model has ended loses nothing", async (context) => {
  const { provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.end(httpChunk(textEvent("Whole") + FINISH_EVENT));
  });
  const { parts, failure } = await run(provider);
  assert.equal(failure, null);
  assert.deepEqual([foldParts(parts).text, foldParts(parts).warnings], ["Whole", ["usage_estimated"]]);
});

test("a line of 100 MB is aborted after the first 8 MiB, and its connection closed", async (context) => {
  let sent = Promise.resolve(0);
  const { server, provider } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(`${textEvent("Half")}data: {"choices":"`));
    sent = flood(socket, httpChunk("x".repeat(65_536)), 100_000_000);
  });
  const ran = await run(provider);
  const failure = assertFailure(ran, "provider_error", false);
  assert.match(failure.message, /longer than its limit/);
  assert.equal(foldParts(ran.parts).text, "Half");
  await server.closed();
  assert.ok((await sent) < 20_000_000, `${await sent} bytes were taken`);
});
