// Reads the bytes of a request's body. The Content-Type is ignored: every body is parsed as JSON.
// @spec endpoints/post-responses
import type { IncomingMessage } from "node:http";
import { invalidInput, ApiError } from "../../contract/errors.ts";
import type { BodyReservation } from "./body-capacity.ts";
import type { RequestHead } from "./request-head.ts";

const NO_BYTES = Buffer.alloc(0);

/** The client disconnected before its body was complete, so no response can be sent. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** Limits of reading one body. */
export interface BodyBounds {
  /** Largest body, bytes. */
  readonly bytesMax: number;
  readonly reservation: BodyReservation;
}

/**
 * Reads the whole body, see {@link readBody}. Throws 400 `invalid_input` for a Content-Encoding: encoded bytes are not
 * JSON.
 */
export function readPlainBody(request: IncomingMessage, head: RequestHead, bounds: BodyBounds): Promise<Uint8Array> {
  const [coding] = head.contentEncodings;
  if (coding === undefined) return readBody(request, bounds);
  const advice = "send the body without a Content-Encoding.";
  return Promise.reject(invalidInput(null, `Content-Encoding ${coding} is not supported: ${advice}`));
}

/**
 * Reads the whole body; empty when there is none. Throws 413 `invalid_input` for more than `bytesMax` bytes, and 503
 * `gateway_overloaded` when there is no capacity: before reading if Content-Length says more than would fit now, else as
 * soon as the bytes that have arrived outgrow it. The rest of a rejected body is read and discarded, so that a client that is still sending sees the
 * response.
 */
async function readBody(request: IncomingMessage, { bytesMax, reservation }: BodyBounds): Promise<Uint8Array> {
  const { "content-length": declared, "transfer-encoding": transferEncoding } = request.headers;
  if (transferEncoding === undefined && (declared === undefined || declared === "0")) return NO_BYTES;
  const isCounted = transferEncoding === undefined;
  if (Number(declared) > bytesMax) throw tooLargeError(bytesMax);
  // The client disconnected during authentication: no event will follow.
  if (request.destroyed && !request.readableEnded) throw connectionLost();
  // Not reserved: its client may never send it. One that could not fit is rejected before it is sent.
  if (isCounted) reservation.assertFits(Number(declared));

  return new Promise((resolve, reject) => {
    const chunks = new BodyChunks(isCounted ? Number(declared) : 0);

    /** The request lives as long as its response; the chunks must not. */
    function detach(): void {
      chunks.clear();
      request.off("data", onData).off("end", onEnd).off("close", onClose);
    }

    function onData(chunk: Buffer): void {
      const received = chunks.length + chunk.length;
      try {
        if (received > bytesMax) throw tooLargeError(bytesMax);
        reservation.reserve(received);
        chunks.add(chunk);
      } catch (error) {
        detach();
        request.resume();
        reject(error);
      }
    }

    function onEnd(): void {
      resolve(chunks.whole());
      detach();
    }

    function onClose(): void {
      // Not called after `end`, which has detached it: creating an Error is expensive.
      detach();
      reject(connectionLost());
    }

    request.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

function connectionLost(): ConnectionLost {
  return new ConnectionLost("The connection closed before the body was complete.");
}

function tooLargeError(bytesMax: number): ApiError {
  return new ApiError("invalid_input", `The request body is larger than the ${bytesMax} bytes this service accepts.`, {
    status: 413,
  });
}

/**
 * The chunks of a body while it arrives, copied into one buffer. Each chunk is an object of some hundred bytes, so a
 * body sent byte by byte would take a hundred times its size. docs/decisions/bodies.md
 */
export class BodyChunks {
  readonly #expected: number;
  #buffer: Buffer = NO_BYTES;
  #length = 0;

  /** `expected`: the length of the body if it is known, else 0. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Bytes kept, unused ones among them. */
  get bytesKept(): number {
    return this.#buffer.length;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    // Nearly every body is one chunk, which is not copied.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  /** The whole body. */
  whole(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Releases all bytes. */
  clear(): void {
    this.#buffer = NO_BYTES;
  }

  /** Moves the bytes to a buffer of twice their length, but not beyond the expected one, which may never arrive. */
  #grow(length: number): void {
    const twice = 2 * this.#length;
    const enough = this.#expected > 0 ? Math.min(twice, this.#expected) : twice;
    const larger = Buffer.allocUnsafeSlow(Math.max(length, enough));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
