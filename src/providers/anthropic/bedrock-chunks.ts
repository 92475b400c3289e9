// Makes server-sent events of the frames in which Bedrock sends a message: each has one event, or the exception that ends it.
import { isUtf8 } from "node:buffer";
import { isJsonObject, parseJson } from "../../base/json.ts";
import { createFrameReader, type Frame } from "../wire/event-stream.ts";
import { readText } from "../wire/json-shape.ts";
import { excessOf } from "../wire/reply-json.ts";
import { createUtf8Reader, NotUtf8Error, type TextReader } from "../wire/utf8.ts";

/** Exceptions within a stream, in Anthropic's words. */
const WORDS: Readonly<Record<string, string>> = {
  internalServerException: "api_error",
  modelStreamErrorException: "api_error",
  modelTimeoutException: "timeout_error",
  serviceUnavailableException: "overloaded_error",
  throttlingException: "rate_limit_error",
  validationException: "invalid_request_error",
};

/** Creates the reader of one response. Gateways may send server-sent events, which pass as they are. */
export function createChunkReader(): TextReader {
  let text = "";
  let error: unknown = null;
  let events: TextReader | null = null;
  let isFirst = true;
  const frames = createFrameReader((frame) => {
    text += eventOf(frame);
  });

  function check(): void {
    events?.check();
    if (error !== null) throw error;
  }

  return {
    read(bytes) {
      if (bytes.length === 0) return "";
      // No frame is so long that its first byte is another, and no text begins with it.
      if (isFirst && bytes[0] !== 0) events = createUtf8Reader();
      isFirst = false;
      if (events !== null) return events.read(bytes);
      if (error !== null) return "";
      text = "";
      try {
        frames.feed(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      } catch (thrown) {
        error = thrown;
      }
      return text;
    },
    check,
    end() {
      events?.end();
      check();
    },
    heldBytes: () => frames.bufferedBytes(),
  };
}

/** The frame as a server-sent event; empty for one that says nothing. Throws a NotUtf8Error. */
function eventOf({ headers, payload }: Frame): string {
  const type = headers.get(":message-type");
  if (type === "exception") return errorEvent(headers.get(":exception-type"), payload);
  if (type === "error") return errorEvent(headers.get(":error-code"), Buffer.from(headers.get(":error-message") ?? ""));
  const bytes = headers.get(":event-type") === "chunk" ? bytesOf(payload) : null;
  if (bytes === null) return "";
  if (!isUtf8(bytes)) throw new NotUtf8Error("bytes that are not UTF-8");
  return dataLine(bytes.toString("utf8"));
}

const CHUNK_START = '{"bytes":"';
const QUOTE = 0x22;

/** The event in a chunk: `{"bytes": BASE64, "p": PADDING}`; null if there is none. */
function bytesOf(payload: Buffer): Buffer | null {
  // Nearly every chunk is written like this, and parsing its JSON would take most of the time.
  const end = payload.indexOf(QUOTE, CHUNK_START.length);
  if (end !== -1 && payload.toString("latin1", 0, CHUNK_START.length) === CHUNK_START) {
    return Buffer.from(payload.toString("latin1", CHUNK_START.length, end), "base64");
  }
  const text = payload.toString("utf8");
  const value = excessOf(text) === null ? parseJson(text) : undefined;
  const bytes = isJsonObject(value) ? readText(value.bytes) : null;
  return bytes === null ? null : Buffer.from(bytes, "base64");
}

/** An exception as the error event of a Messages stream. Its payload is `{"message": …}`. */
function errorEvent(name: string | undefined, payload: Buffer): string {
  const text = payload.subarray(0, ERROR_BYTES_MAX).toString("utf8");
  const value = parseJson(text);
  const message = isJsonObject(value) ? value.message : text;
  const type = name === undefined ? undefined : (WORDS[name] ?? name);
  return dataLine(JSON.stringify({ type: "error", error: { type, message, details: { error_code: name } } }));
}

/** Bytes of an exception that are read. */
const ERROR_BYTES_MAX = 64 * 1024;

/** A line break within JSON is white space. */
function dataLine(json: string): string {
  return `data: ${/[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, " ") : json}\n\n`;
}
