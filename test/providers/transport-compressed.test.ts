// Responses that are compressed, though none is asked for. docs/reliability.md, A-12
import assert from "node:assert/strict";
import test from "node:test";
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { foldParts } from "../support/provider-samples.ts";
import { assertFailure, run, setUp, WHOLE } from "./transport-bench.ts";
import { DONE_EVENT, FINISH_EVENT, httpChunk, LAST_CHUNK, textEvent, writeAnswer, writeHead } from "./wire-server.ts";

const ENCODINGS: readonly [string, (text: string) => Buffer][] = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["GZIP", gzipSync],
  ["identity, gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
  ["gzip, br", (text) => brotliCompressSync(gzipSync(text))],
];

for (const [encoding, compress] of ENCODINGS) {
  test(`a reply in ${encoding}${compress === deflateRawSync ? " without a header" : ""} is read, whole and byte by byte`, async (context) => {
    const bytes = compress(WHOLE);
    const { provider, server } = await setUp(context, ({ socket }) => {
      if (server.requests.length === 1) {
        writeAnswer(socket, 200, bytes, `content-encoding: ${encoding}\r\n`);
        return;
      }
      writeHead(socket, `content-encoding: ${encoding}\r\n`);
      for (const byte of bytes) socket.write(httpChunk(Uint8Array.of(byte)));
      socket.write(LAST_CHUNK);
    });
    for (let time = 0; time < 2; time++) {
      const { parts, failure } = await run(provider);
      assert.equal(failure, null);
      assert.deepEqual([foldParts(parts).text, foldParts(parts).incompleteReason], ["Hello", null]);
    }
  });
}

test("deltas of a compressed stream arrive as they are sent", async (context) => {
  const gzip = createGzip();
  let received = 0;
  const { provider } = await setUp(context, ({ socket }) => {
    writeHead(socket, "content-encoding: gzip\r\n");
    gzip.on("data", (bytes: Buffer) => socket.write(httpChunk(bytes)));
    gzip.on("end", () => socket.write(LAST_CHUNK));
    gzip.write(textEvent("A"));
    gzip.flush(constants.Z_SYNC_FLUSH);
  });
  const { parts, failure } = await run(provider, undefined, () => {
    if (++received === 1) gzip.end(textEvent("B") + FINISH_EVENT + DONE_EVENT);
  });
  assert.equal(failure, null);
  assert.equal(foldParts(parts).text, "AB");
});

test("a compressed stream that is cut behind the model's end is whole, and one cut before it is not", async (context) => {
  const whole = gzipSync(WHOLE);
  for (const [bytes, isWhole] of [
    [whole.subarray(0, -8), true],
    [whole.subarray(0, -Math.floor(whole.length / 2)), false],
  ] as const) {
    const { provider } = await setUp(context, ({ socket }) =>
      writeAnswer(socket, 200, bytes, "content-encoding: gzip\r\n"),
    );
    const ran = await run(provider);
    if (isWhole) assert.equal(ran.failure, null);
    else assertFailure(ran, "provider_error", false);
  }
});

test("a connection lost within a compressed stream is provider_unavailable, with the output before", async (context) => {
  const gzip = createGzip();
  const { provider } = await setUp(context, ({ socket }) => {
    writeHead(socket, "content-encoding: gzip\r\n");
    gzip.on("data", (bytes: Buffer) => socket.write(httpChunk(bytes)));
    gzip.write(textEvent("Half"));
    gzip.flush(constants.Z_SYNC_FLUSH, () => setTimeout(() => socket.destroy(), 50));
  });
  const ran = await run(provider);
  assertFailure(ran, "provider_unavailable", false);
  assert.equal(foldParts(ran.parts).text, "Half");
});

test("an unsupported encoding is named", async (context) => {
  const { provider } = await setUp(context, ({ socket }) =>
    writeAnswer(socket, 200, WHOLE, "content-encoding: exi\r\n"),
  );
  const failure = assertFailure(await run(provider), "provider_error", false);
  assert.equal(failure.message, "The provider sent a content encoding that is not supported: exi.");
});

test("the message of a compressed error is read; one that cannot be decoded is left out", async (context) => {
  const body = '{"error":{"message":"no such thing"}}';
  for (const [bytes, encoding, message] of [
    [gzipSync(body), "gzip", "The provider rejected the request: no such thing"],
    [Buffer.from(body), "gzip", "The provider rejected the request."],
    [Buffer.from(body), "exi", "The provider rejected the request."],
    [gzipSync(Buffer.alloc(50_000_000)), "gzip", "The provider rejected the request."],
  ] as const) {
    const { provider } = await setUp(context, ({ socket }) =>
      writeAnswer(socket, 400, bytes, `content-encoding: ${encoding}\r\n`),
    );
    assert.equal(assertFailure(await run(provider), "provider_client_error", false).message, message);
  }
});

test("a bomb is read like any other long response: to 64 MiB, in pieces, while the event loop turns", async (context) => {
  const comments = `: ${"x".repeat(1024 * 1024)}\n\n`.repeat(80);
  for (const [encoding, compress] of [
    ["gzip", gzipSync],
    ["br", (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
    ["zstd", zstdCompressSync],
  ] as const) {
    const bomb = compress(comments);
    const { provider } = await setUp(context, ({ socket }) =>
      writeAnswer(socket, 200, bomb, `content-encoding: ${encoding}\r\n`),
    );
    const before = process.memoryUsage().rss;
    let turns = 0;
    const ran = run(provider);
    const counter = setInterval(() => turns++);
    const failure = assertFailure(await ran, "provider_error", false);
    clearInterval(counter);
    assert.match(failure.message, /a response longer than its limit/);
    assert.ok(turns > 5, `${turns} turns of the event loop`);
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(grown < 300, `${encoding}: ${Math.round(grown)} MiB more`);
  }
});
