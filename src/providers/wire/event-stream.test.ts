import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import fc from "../../../test/support/fast-check.ts";
import { NotDecodableError } from "./content-coding.ts";
import { createFrameReader, type Frame } from "./event-stream.ts";
import { TooLongError } from "./response-body.ts";

/** The cloud's own encoder and decoder. */
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8")),
  (text) => Buffer.from(text),
);

type Headers = Parameters<typeof codec.encode>[0]["headers"];

function encode(headers: Headers, payload: string | Uint8Array): Buffer {
  return Buffer.from(codec.encode({ headers, body: Buffer.from(payload as string) }));
}

const CHUNK: Headers = {
  ":event-type": { type: "string", value: "chunk" },
  ":content-type": { type: "string", value: "application/json" },
  ":message-type": { type: "string", value: "event" },
};

/** Reads bytes that arrive in these pieces. */
function read(pieces: Iterable<Buffer>): { headers: Record<string, string>; payload: string }[] {
  const frames: Frame[] = [];
  const reader = createFrameReader((frame) => frames.push(frame));
  for (const piece of pieces) reader.feed(piece);
  return frames.map(({ headers, payload }) => ({
    headers: Object.fromEntries(headers),
    payload: payload.toString("latin1"),
  }));
}

const chunkHeaders = { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" };

test("frames of the cloud's own encoder are read, cut anywhere and byte by byte", () => {
  const bytes = Buffer.concat([encode(CHUNK, "one"), encode({}, ""), encode(CHUNK, "x".repeat(3000)), encode({}, "4")]);
  const expected = [
    { headers: chunkHeaders, payload: "one" },
    { headers: {}, payload: "" },
    { headers: chunkHeaders, payload: "x".repeat(3000) },
    { headers: {}, payload: "4" },
  ];
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(read([bytes.subarray(0, cut), bytes.subarray(cut)]), expected, `cut at ${cut}`);
  }
  assert.deepEqual(read(Array.from(bytes, (byte) => Buffer.of(byte))), expected);
});

test("headers of every type are passed over, and texts are kept", () => {
  const headers: Headers = {
    yes: { type: "boolean", value: true },
    no: { type: "boolean", value: false },
    byte: { type: "byte", value: -1 },
    short: { type: "short", value: 300 },
    integer: { type: "integer", value: 70_000 },
    binary: { type: "binary", value: Buffer.from("bytes") },
    time: { type: "timestamp", value: new Date(1_764_000_000_000) },
    uuid: { type: "uuid", value: "1b4e28ba-2fa1-11d2-883f-0016d3cca427" },
    text: { type: "string", value: "wörld" },
    "": { type: "string", value: "" },
  };
  assert.deepEqual(read([encode(headers, "p")]), [{ headers: { text: "wörld", "": "" }, payload: "p" }]);
});

test("any frames come out as they went in, whatever the pieces", () => {
  const frame = fc.record({
    headers: fc.dictionary(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.string({ unit: "grapheme", maxLength: 20 }),
      { maxKeys: 4 },
    ),
    payload: fc.uint8Array({ maxLength: 3000 }),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 5 }), fc.array(fc.nat(5000), { maxLength: 8 }), (frames, cuts) => {
      const bytes = Buffer.concat(
        frames.map(({ headers, payload }) =>
          encode(
            Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { type: "string", value }])),
            payload,
          ),
        ),
      );
      const ends = [...cuts.map((at) => Math.min(at, bytes.length)), bytes.length].sort((a, b) => a - b);
      const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      const expected = frames.map(({ headers, payload }) => ({
        headers: { ...headers },
        payload: Buffer.from(payload).toString("latin1"),
      }));
      assert.deepEqual(read(pieces), expected);
    }),
    { numRuns: 200 },
  );
});

test("a flipped bit anywhere in a frame is an error, and so is any other text", () => {
  const bytes = encode(CHUNK, "payload");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const bent = Buffer.from(bytes);
    bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => read([bent]), NotDecodableError, `bit ${bit}`);
  }
  assert.throws(() => read([Buffer.from('data: {"type":"ping"}\n\n')]), NotDecodableError);
});

/** A frame with these lengths and valid checksums, whatever its headers. */
function forge(length: number, headers: Buffer, headersLength = headers.length): Buffer {
  const bytes = Buffer.alloc(16 + headers.length);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(headersLength, 4);
  bytes.writeUInt32BE(checksum(bytes.subarray(0, 8)), 8);
  headers.copy(bytes, 12);
  bytes.writeUInt32BE(checksum(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/** CRC-32, bit by bit: independent of the code under test. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

test("a prelude that declares too much or too little is an error before any of the frame has arrived", () => {
  const prelude = (length: number, headersLength: number) =>
    forge(length, Buffer.alloc(0), headersLength).subarray(0, 12);
  assert.throws(() => read([prelude(0xffffffff, 0)]), TooLongError);
  assert.throws(() => read([prelude(16 * 1024 * 1024 + 1, 0)]), TooLongError);
  assert.throws(() => read([prelude(1024 * 1024, 128 * 1024 + 1)]), TooLongError);
  assert.throws(() => read([prelude(0, 0)]), NotDecodableError);
  assert.throws(() => read([prelude(15, 0)]), NotDecodableError);
  assert.throws(() => read([prelude(100, 85)]), NotDecodableError);
  assert.deepEqual(read([prelude(16 * 1024 * 1024, 128 * 1024)]), []);
});

test("headers that are cut off or of an unknown type are an error", () => {
  const text = (...bytes: number[]) => forge(16 + bytes.length, Buffer.from(bytes));
  assert.equal(read([text(1, 97, 7, 0, 1, 98)])[0]?.headers.a, "b");
  for (const bytes of [
    [5],
    [1],
    [1, 97],
    [1, 97, 7],
    [1, 97, 7, 0],
    [1, 97, 7, 0, 2, 98],
    [1, 97, 4, 0],
    [1, 97, 10],
  ]) {
    assert.throws(() => read([text(...bytes)]), NotDecodableError, bytes.join());
  }
});

test("a declared length takes no memory: the room of a frame grows with what has arrived", () => {
  const reader = createFrameReader(() => undefined);
  reader.feed(forge(16 * 1024 * 1024, Buffer.alloc(0)).subarray(0, 12));
  assert.equal(reader.bufferedBytes(), 12);
  reader.feed(Buffer.alloc(100_000));
  assert.equal(reader.bufferedBytes(), 100_012);
});

test("a frame of a megabyte that arrives byte by byte takes time in proportion to its bytes", () => {
  const bytes = encode(CHUNK, "x".repeat(1024 * 1024));
  const reader = createFrameReader(({ payload }) => assert.equal(payload.length, 1024 * 1024));
  const startedMs = performance.now();
  for (let at = 0; at < bytes.length; at++) reader.feed(bytes.subarray(at, at + 1));
  // Copying what has arrived with each byte would take minutes.
  assert.ok(performance.now() - startedMs < 20_000);
  assert.equal(reader.bufferedBytes(), 0);
});

test("hostile bytes end in frames or in one of two errors", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.constant(new Uint8Array(encode(CHUNK, "ok")))), {
        maxLength: 6,
      }),
      (pieces) => {
        try {
          read(pieces.map((piece) => Buffer.from(piece)));
        } catch (error) {
          assert.ok(error instanceof NotDecodableError || error instanceof TooLongError, String(error));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("headers of any bytes, with valid checksums, end in a frame or an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (headers) => {
      try {
        read([forge(16 + headers.length, Buffer.from(headers))]);
      } catch (error) {
        assert.ok(error instanceof NotDecodableError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});
