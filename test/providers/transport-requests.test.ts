// Requests to a provider, and the connections that they share.
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { foldParts, sampleModel, samplePrompt } from "../support/provider-samples.ts";
import type { ProviderPart } from "../../src/ports/provider.ts";
import {
  DONE_EVENT,
  FINISH_EVENT,
  httpChunk,
  LAST_CHUNK,
  textEvent,
  USAGE_EVENT,
  writeAnswer,
  writeHead,
} from "./wire-server.ts";
import { setUp, createProvider, run, assertFailure, WHOLE } from "./transport-bench.ts";

test("a request is one POST with the key, JSON and not compressed; its response is read to the end", async (context) => {
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

test("a long request arrives complete, with its length", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => writeAnswer(socket, 200, WHOLE));
  const text = "length ".repeat(500_000);
  const parts: ProviderPart[] = [];
  await provider.run(
    {
      model: sampleModel(),
      prompt: samplePrompt(text),
      thread: "t",
      cacheKey: () => "key",
      signal: new AbortController().signal,
    },
    (ready) => void parts.push(...ready),
  );
  const [request] = server.requests;
  assert.match(request?.head ?? "", new RegExp(`\r\ncontent-length: ${request?.body.length}$`));
  assert.equal(JSON.parse(request?.body ?? "").messages[0].content, text);
  assert.equal(foldParts(parts).text, "Hello");
});

test("a path and a query of the base URL are kept", async (context) => {
  const { server } = await setUp(context, ({ socket }) => writeAnswer(socket, 400, ""));
  const provider = createProvider(`${server.url}/deep/?api-version=2`);
  await run(provider);
  await provider.close();
  assert.match(server.requests[0]?.head ?? "", /^POST \/v1\/deep\/chat\/completions\?api-version=2 /);
});

test("extra headers are sent and replace ours; their values are redacted in the server's messages", async (context) => {
  const { server } = await setUp(context, ({ socket }) =>
    writeAnswer(socket, 400, '{"error":{"message":"team CANARY-team is over its limit of 1"}}'),
  );
  const headers = { "X-Team": "CANARY-team", Authorization: "Custom scheme", "x-one": "1" };
  const provider = createProvider(server.url, undefined, { headers });
  const { failure } = await run(provider);
  await provider.close();
  assert.match(failure?.message ?? "", /team \[redacted\] is over its limit of 1/);
  const head = server.requests[0]?.head ?? "";
  assert.match(head, /^x-team: CANARY-team\r$/im);
  assert.deepEqual(
    head.match(/^authorization: .*$/gim)?.map((line) => line.trim()),
    ["Authorization: Custom scheme"],
  );
});

test("the values of extra headers are redacted in an error within a stream too", async (context) => {
  const error = { type: "invalid_request_error", message: "team CANARY-team has no such model" };
  const { server } = await setUp(context, ({ socket }) =>
    writeAnswer(socket, 200, `data: ${JSON.stringify({ error })}\n\n`),
  );
  const provider = createProvider(server.url, undefined, { headers: { "x-team": "CANARY-team" } });
  const { failure } = await run(provider);
  await provider.close();
  assert.equal(failure?.message, "The provider rejected the request: team [redacted] has no such model");
});

test("a connection is kept for the next request, after a response and after an error", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => {
    if (server.requests.length === 2) writeAnswer(socket, 500, "oops");
    else writeAnswer(socket, 200, WHOLE);
  });
  for (let round = 0; round < 3; round++) {
    await run(provider);
    // A connection is free again one turn of the event loop after its response.
    await setImmediate();
  }
  assert.deepEqual([server.requests.length, server.opened], [3, 1]);
});

test("many turns at once each get their own response", async (context) => {
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

test("close closes every connection and fails running turns", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => writeHead(socket));
  const ran = run(provider);
  while (server.requests.length === 0) await setImmediate();
  await provider.close();
  assertFailure(await ran, "provider_unavailable", false);
  await server.closed();
});
