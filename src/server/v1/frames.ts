// Encodes events as server-sent frames: numbered from 0, padded, one line of JSON each.
// @spec events, endpoints/post-responses
import { randomBytes } from "node:crypto";
import type { ResponseEvent } from "../../contract/events.ts";
import type { ResponseObject } from "../../contract/resources.ts";

/** Sent on a quiet stream. A comment, because clients throw on unknown event types. @spec limits */
export const KEEP_ALIVE_FRAME = ": keep-alive\n\n";

/** Encodes the events of one stream in order. */
export type FrameEvent = (event: ResponseEvent) => string;

type DeltaEvent = Extract<ResponseEvent, { delta: string }>;

/**
 * Creates the encoder of one stream. A frame is `event: <type>`, one line of JSON and an empty line; `sequence_number`
 * counts them.
 *
 * Almost all events are deltas, so the part of their JSON that is constant within an item is built once and only the
 * delta itself is passed to JSON.stringify. A response object in two successive events is serialised once.
 */
export function createFramer(options: { includeObfuscation: boolean }): FrameEvent {
  const openDelta = createDeltaOpener();
  const writeResponse = createResponseWriter();
  let sequenceNumber = -1;

  return function frameEvent(event) {
    sequenceNumber++;
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
      case "response.function_call_arguments.delta": {
        const delta = JSON.stringify(event.delta);
        const logprobs = event.type === "response.output_text.delta" ? ',"logprobs":[]' : "";
        const obfuscation = options.includeObfuscation ? `,"obfuscation":"${padDelta(delta)}"` : "";
        return `${openDelta(event)}${delta}${logprobs}${obfuscation},"sequence_number":${sequenceNumber}}\n\n`;
      }
      case "response.created":
      case "response.queued":
      case "response.in_progress":
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return frame(event.type, `{"type":"${event.type}","response":${writeResponse(event.response)}`, sequenceNumber);
      default:
        return frame(event.type, JSON.stringify(event).slice(0, -1), sequenceNumber);
    }
  };
}

/** A frame of JSON that lacks its number and closing brace. */
function frame(type: string, openJson: string, sequenceNumber: number): string {
  return `event: ${type}\ndata: ${openJson},"sequence_number":${sequenceNumber}}\n\n`;
}

/** The text of a frame up to the delta: the same string for every delta of one content part. */
function createDeltaOpener(): (event: DeltaEvent) => string {
  let type = "";
  let itemId = "";
  let contentIndex = -1;
  let opening = "";

  return function openDelta(event) {
    const eventContentIndex = "content_index" in event ? event.content_index : -1;
    if (event.type !== type || event.item_id !== itemId || eventContentIndex !== contentIndex) {
      ({ type, item_id: itemId } = event);
      contentIndex = eventContentIndex;
      const content = contentIndex < 0 ? "" : `"content_index":${contentIndex},`;
      const place = `"item_id":${JSON.stringify(itemId)},"output_index":${event.output_index},${content}`;
      opening = `event: ${type}\ndata: {"type":"${type}",${place}"delta":`;
    }
    return opening;
  };
}

/**
 * The JSON of a response object, cached while successive events carry the same object, like created and in_progress.
 */
function createResponseWriter(): (response: ResponseObject) => string {
  let latest: ResponseObject | null = null;
  let json = "";

  return function writeResponse(response) {
    if (response !== latest) {
      latest = response;
      json = JSON.stringify(response);
    }
    return json;
  };
}

/** A delta and its padding together fill whole blocks of this many bytes (docs/wire.md, Event payloads). */
export const PADDING_BLOCK_BYTES = 16;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Longer than the window of gzip and deflate, so that a compressing proxy cannot compress repeated padding away. */
const POOL_CHARACTERS = 64 * 1024;

// The characters are not quite equally likely, which does not matter: they hide a length, not a secret.
const pool = Array.from(randomBytes(POOL_CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
let position = 0;

/**
 * Returns the padding of a delta, so that the size of a frame does not reveal the length of its text: 1 to 16 characters of `[A-Za-z0-9]`. A delta that fills its blocks gets another
 * block, because padding is never empty.
 *
 * @param deltaJson the delta as a JSON string with its quotes. Its bytes on the wire are measured, so that escapes and
 *   non-ASCII text reveal no more than plain letters.
 */
export function padDelta(deltaJson: string): string {
  const quotes = 2;
  const missing = PADDING_BLOCK_BYTES - ((Buffer.byteLength(deltaJson) - quotes) & (PADDING_BLOCK_BYTES - 1));
  if (position + missing > POOL_CHARACTERS) position = 0;
  const start = position;
  position += missing;
  return pool.slice(start, position);
}
