// Frames of Amazon's event-stream encoding, by the cloud's own encoder.
import { EventStreamCodec } from "@smithy/eventstream-codec";

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8")),
  (text) => Buffer.from(text),
);

export type FrameHeaders = Parameters<typeof codec.encode>[0]["headers"];

/** One frame. */
export function encodeFrame(headers: FrameHeaders, payload: string | Uint8Array): Buffer {
  return Buffer.from(codec.encode({ headers, body: typeof payload === "string" ? Buffer.from(payload) : payload }));
}

/** Headers with texts. */
export function textHeaders(texts: Readonly<Record<string, string>>): FrameHeaders {
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, { type: "string", value }]));
}

const JSON_TYPE = { ":content-type": "application/json" };

/** A frame of `InvokeModelWithResponseStream` with one event of the model, padded as the service does. */
export function chunkFrame(event: string): Buffer {
  const payload = JSON.stringify({ bytes: Buffer.from(event).toString("base64"), p: "abcdefghijk" });
  return encodeFrame(textHeaders({ ":event-type": "chunk", ...JSON_TYPE, ":message-type": "event" }), payload);
}

/** A frame with an exception, which ends the stream. */
export function exceptionFrame(type: string, payload: object): Buffer {
  const headers = textHeaders({ ":exception-type": type, ...JSON_TYPE, ":message-type": "exception" });
  return encodeFrame(headers, JSON.stringify(payload));
}
