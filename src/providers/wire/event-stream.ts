// Reads the frames of Amazon's event-stream encoding (`application/vnd.amazon.eventstream`), all numbers big-endian:
//
//   length of the frame (4) | length of its headers (4) | CRC-32 of both (4) | headers | payload | CRC-32 of all before (4)
//
// A header is the length of its name (1), the name, its type (1) and its value.
import { crc32 } from "node:zlib";
import { NotDecodableError } from "./content-coding.ts";
import { TooLongError } from "./response-body.ts";

export interface Frame {
  /** Headers with a text as their value, by name. Others are left out: no service sends them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

export interface FrameReader {
  /**
   * Reads the next bytes and takes each frame that is whole. Throws a NotDecodableError for bytes that are no frame, a
   * TooLongError for a frame above the limit, and any error of `take`.
   */
  feed(bytes: Buffer): void;
  /** Bytes of a frame that waits for its rest. */
  bufferedBytes(): number;
}

/** The longest frame that the encoding allows, bytes. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;
const HEADERS_BYTES_MAX = 128 * 1024;

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const OVERHEAD_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;

/** The least room for a frame in pieces, bytes. */
const ROOM_BYTES_MIN = 1024;

/** The type of a text, with its length (2) before it, as for bytes (6). */
const TEXT_TYPE = 7;
/** The length of each type's value, bytes; null: the value has its length (2) before it. */
const VALUE_BYTES: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];

const NOTHING = Buffer.alloc(0);

/** Creates a reader of one stream of frames. Each byte is copied and checked a bounded number of times, however it arrives. */
export function createFrameReader(take: (frame: Frame) => void): FrameReader {
  /** Holds the beginning of a frame; its room grows with what has arrived, not with the length that a frame declares. */
  let room = NOTHING;
  let held = 0;
  /** Nearly all frames of a stream have the same headers, and reading them takes most of the time. */
  let headerBytes: Buffer = NOTHING;
  let headers: ReadonlyMap<string, string> = new Map();

  /** Takes a whole frame, its prelude checked. */
  function finish(bytes: Buffer): void {
    const end = bytes.length - CHECKSUM_BYTES;
    if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) {
      throw new NotDecodableError("a frame with a wrong checksum");
    }
    const payloadAt = PRELUDE_BYTES + bytes.readUInt32BE(4);
    const found = bytes.subarray(PRELUDE_BYTES, payloadAt);
    if (!found.equals(headerBytes)) {
      headers = readHeaders(found);
      headerBytes = Buffer.from(found);
    }
    take({ headers, payload: bytes.subarray(payloadAt, end) });
  }

  /** Adds bytes to the frame in pieces until it has `length`; returns how many it took. */
  function hold(bytes: Buffer, length: number): number {
    const taken = Math.min(bytes.length, Math.max(0, length - held));
    if (held + taken > room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(held + taken, 2 * room.length, ROOM_BYTES_MIN));
      room.copy(larger, 0, 0, held);
      room = larger;
    }
    bytes.copy(room, held, 0, taken);
    held += taken;
    return taken;
  }

  /** Completes the frame in pieces; returns how many bytes that took. */
  function complete(bytes: Buffer): number {
    const taken = hold(bytes, PRELUDE_BYTES);
    if (held < PRELUDE_BYTES) return taken;
    const length = readLength(room);
    const all = taken + hold(bytes.subarray(taken), length);
    if (held < length) return all;
    const frame = room.subarray(0, length);
    held = 0;
    // The payload is a view of it.
    room = NOTHING;
    finish(frame);
    return all;
  }

  return {
    feed(bytes) {
      let at = held === 0 ? 0 : complete(bytes);
      while (bytes.length - at >= PRELUDE_BYTES) {
        const length = readLength(bytes.subarray(at));
        if (bytes.length - at < length) break;
        const frame = bytes.subarray(at, at + length);
        at += length;
        finish(frame);
      }
      if (at < bytes.length) hold(bytes.subarray(at), Number.POSITIVE_INFINITY);
    },
    bufferedBytes: () => held,
  };
}

/** The length of the frame that begins here, checked before any of it is kept. */
function readLength(bytes: Buffer): number {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new NotDecodableError("a frame with a wrong checksum");
  const length = bytes.readUInt32BE(0);
  const headersLength = bytes.readUInt32BE(4);
  if (length > FRAME_BYTES_MAX || headersLength > HEADERS_BYTES_MAX) {
    throw new TooLongError("a frame longer than its limit");
  }
  if (length < OVERHEAD_BYTES + headersLength) throw new NotDecodableError("a frame with a wrong length");
  return length;
}

function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  /** The next bytes. */
  const next = (count: number): Buffer => {
    if (bytes.length - at < count) throw new NotDecodableError("a frame with a header that is cut off");
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = next(next(1).readUInt8()).toString("utf8");
    const type = next(1).readUInt8();
    const fixed = VALUE_BYTES[type];
    if (fixed === undefined) throw new NotDecodableError("a frame with a header of an unknown type");
    const value = next(fixed ?? next(2).readUInt16BE());
    if (type === TEXT_TYPE) headers.set(name, value.toString("utf8"));
  }
  return headers;
}
