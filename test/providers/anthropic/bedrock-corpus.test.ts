// The streams of the corpus as Bedrock sends them: each event in a frame.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createParser } from "eventsource-parser";
import { createChunkReader } from "../../../src/providers/anthropic/bedrock-chunks.ts";
import { isJsonObject, parseJson } from "../../../src/base/json.ts";
import { NotDecodableError } from "../../../src/providers/wire/content-coding.ts";
import { NotUtf8Error } from "../../../src/providers/wire/utf8.ts";
import { chunkFrame, encodeFrame, exceptionFrame, textHeaders } from "../../support/event-stream-frames.ts";
import fc from "../../support/fast-check.ts";
import { foldParts } from "../../support/provider-samples.ts";
import { CORPUS } from "./corpus.ts";
import { decodeBytes } from "./decode-bytes.ts";

const decodeFrames = (pieces: Iterable<Uint8Array>) => decodeBytes(pieces, createChunkReader());

/** The events of a stream, with their types inside, where Bedrock has them. */
function eventsOf(bytes: Buffer): string[] {
  const events: string[] = [];
  const parser = createParser({
    onEvent({ data, event }) {
      const value = parseJson(data);
      const lacksType = isJsonObject(value) && value.type === undefined && event !== undefined;
      events.push(lacksType ? JSON.stringify({ type: event, ...value }) : data);
    },
  });
  parser.feed(`${bytes.toString("utf8")}\n\n`);
  return events;
}

const STREAMS = CORPUS.filter(({ bytes }) => /^(?:event|data|:)/.test(bytes.toString("latin1")));

for (const { name, bytes, folded, failure } of STREAMS) {
  test(`${name} decodes to the same parts from frames, whole and byte by byte`, () => {
    const frames = Buffer.concat(eventsOf(bytes).map(chunkFrame));
    for (const pieces of [[frames], Array.from(frames, (byte) => Uint8Array.of(byte))]) {
      const decoded = decodeFrames(pieces);
      assert.equal(decoded.failure?.code ?? null, failure);
      assert.deepEqual(foldParts(decoded.parts), folded);
    }
  });
}

test("the corpus has what the others send in place of a stream", () => {
  assert.ok(STREAMS.length > 50 && STREAMS.length < CORPUS.length, String(STREAMS.length));
});

test("streams and documents without frames, from gateways, are read as from Anthropic", () => {
  for (const { name, bytes, folded, failure } of CORPUS) {
    const decoded = decodeFrames([bytes]);
    assert.equal(decoded.failure?.code ?? null, failure, name);
    assert.deepEqual(foldParts(decoded.parts), folded, name);
  }
});

const TEXT = [
  { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } },
];
const ENDED = [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
];
const framesOf = (events: readonly object[]) => Buffer.concat(events.map((event) => chunkFrame(JSON.stringify(event))));

test("the service's own metrics are no usage: Anthropic's counts are", () => {
  const metrics = { inputTokenCount: 99, outputTokenCount: 99, invocationLatency: 900, firstByteLatency: 300 };
  const stop = { type: "message_stop", "amazon-bedrock-invocationMetrics": metrics };
  const { parts, failure } = decodeFrames([framesOf([...TEXT, ...ENDED, stop])]);
  assert.equal(failure, null);
  const { text, usage, warnings } = foldParts(parts);
  assert.deepEqual([text, usage, warnings], ["Half", { input: 10, output: 5, cached: 0, reasoning: 0 }, []]);
});

test("an exception within the stream fails the response with its code, after the output before it", () => {
  const rows = {
    throttlingException: "provider_rate_limited",
    serviceUnavailableException: "provider_overloaded",
    internalServerException: "provider_unavailable",
    modelStreamErrorException: "provider_unavailable",
    modelTimeoutException: "provider_unavailable",
    validationException: "provider_client_error",
    unheardOfException: "provider_error",
  };
  for (const [type, code] of Object.entries(rows)) {
    const exception = exceptionFrame(type, { message: "It said no.", originalStatusCode: 500, originalMessage: "?" });
    for (const before of [TEXT, []]) {
      const { parts, failure } = decodeFrames([framesOf(before), exception, framesOf(ENDED)]);
      assert.deepEqual([failure?.code, failure?.certainlyNotRun], [code, false], type);
      assert.equal(foldParts(parts).text, before.length === 0 ? "" : "Half");
      // The operator's log has the service's own word.
      assert.match(failure?.cause instanceof Error ? failure.cause.message : "", new RegExp(`\\b${type}\\b`));
      assert.equal(failure?.message.includes("It said no."), code === "provider_client_error");
    }
  }
});

test("an error frame without a modelled exception is a failure too", () => {
  const headers = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "An internal error" };
  assert.equal(decodeFrames([framesOf(TEXT), encodeFrame(textHeaders(headers), "")]).failure?.code, "provider_error");
});

test("frames of other kinds, empty chunks and unknown JSON are passed over", () => {
  const type = { ":message-type": "event" };
  const others = [
    encodeFrame(textHeaders({ ...type, ":event-type": "initial-response" }), "{}"),
    encodeFrame(textHeaders({ ...type, ":event-type": "chunk" }), "{}"),
    encodeFrame(textHeaders({ ...type, ":event-type": "chunk" }), '{"bytes":""}'),
    encodeFrame(textHeaders({ ...type, ":event-type": "chunk" }), '{"bytes":7}'),
    encodeFrame({}, ""),
  ];
  const { parts, failure } = decodeFrames([...others, framesOf([...TEXT, ...ENDED, { type: "message_stop" }])]);
  assert.deepEqual([failure, foldParts(parts).text], [null, "Half"]);
});

test("a chunk whose JSON has another form, or several lines, is read", () => {
  const headers = textHeaders({ ":message-type": "event", ":event-type": "chunk" });
  const written = [...TEXT, ...ENDED, { type: "message_stop" }].map((event) => {
    const bytes = Buffer.from(JSON.stringify(event, null, 2)).toString("base64");
    return encodeFrame(headers, `{ "p": "abc", "bytes": "${bytes}" }`);
  });
  const { parts, failure } = decodeFrames(written);
  assert.deepEqual([failure, foldParts(parts).text], [null, "Half"]);
});

test("bytes that are no frames, or no UTF-8 in one, are an error after the output before them, and none after the end", () => {
  const latin = encodeFrame(
    textHeaders({ ":message-type": "event", ":event-type": "chunk" }),
    JSON.stringify({ bytes: Buffer.from([0x22, 0xe9, 0x22]).toString("base64") }),
  );
  const broken = Buffer.alloc(16);
  const rows = [
    [latin, NotUtf8Error],
    [broken, NotDecodableError],
  ] as const;
  for (const [bytes, kind] of rows) {
    const text = createChunkReader();
    assert.match(text.read(Buffer.concat([framesOf(TEXT), bytes])), /"Half"/);
    assert.throws(() => text.check(), kind);
    assert.equal(text.read(framesOf(TEXT)), "");
    const whole = decodeFrames([framesOf([...TEXT, ...ENDED, { type: "message_stop" }]), bytes]);
    assert.equal(whole.failure, null);
  }
});

test("a stream that ends within a frame has failed, unless the model had ended", () => {
  const bytes = framesOf([...TEXT, ...ENDED, { type: "message_stop" }]);
  const ended = framesOf([...TEXT, ...ENDED]).length;
  const failureAt = (end: number) => decodeFrames([bytes.subarray(0, end)]).failure?.code ?? null;
  for (let end = 0; end < ended; end++) assert.equal(failureAt(end), "provider_error", `cut at ${end}`);
  for (let end = ended; end <= bytes.length; end++) assert.equal(failureAt(end), null, `cut at ${end}`);
});

test("any frames end in text or in an error of the wire", () => {
  const header = fc.constantFrom(":message-type", ":event-type", ":exception-type", ":error-code", "other");
  const value = fc.constantFrom("event", "exception", "error", "chunk", "throttlingException", "", "x\ny");
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.jsonValue().map((json) => Buffer.from(JSON.stringify({ bytes: json, message: json }))),
    fc.string({ maxLength: 40 }).map((text) => Buffer.from(`{"bytes":"${text}`)),
  );
  const frame = fc.tuple(fc.dictionary(header, value), payload);
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 6 }), (frames) => {
      const text = createChunkReader();
      const events = text.read(Buffer.concat(frames.map(([headers, body]) => encodeFrame(textHeaders(headers), body))));
      assert.match(events, /^(?:data: [^\r\n]*\n\n)*$/);
      try {
        text.end();
      } catch (error) {
        assert.ok(error instanceof NotUtf8Error, String(error));
      }
    }),
    { numRuns: 500 },
  );
});
