// The bytes of a request's body, whatever its Content-Type says: every body is read as JSON. @spec endpoints/post-responses
import type { IncomingMessage } from "node:http";
import { invalidInput, Refusal } from "../contract/errors.ts";
import type { RequestHead } from "./request-head.ts";

const NO_BYTES = new Uint8Array(0);

/** The client went away before its body had come: there is nobody left to answer. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The whole body, like `readBody`; refuses 400 a Content-Encoding, since what it would hide is not JSON. */
export function readPlainBody(request: IncomingMessage, head: RequestHead, bytesMax: number): Promise<Uint8Array> {
  const [coding] = head.contentEncodings;
  if (coding === undefined) return readBody(request, bytesMax);
  const advice = "send the body as it is, without a Content-Encoding.";
  return Promise.reject(invalidInput(null, `Content-Encoding ${coding} is not read: ${advice}`));
}

/**
 * The whole body, empty when there is none. Refuses one of more than `bytesMax` bytes with 413 `invalid_input`; the rest of it is
 * then read and thrown away, so that a client in the middle of sending gets to see the answer.
 *
 * Fastify's own reader is not used: it refuses a Content-Type it cannot parse before anybody is asked.
 */
function readBody(request: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const { "content-length": declared, "transfer-encoding": transferEncoding } = request.headers;
  if (transferEncoding === undefined && (declared === undefined || declared === "0")) return Promise.resolve(NO_BYTES);
  if (Number(declared) > bytesMax) return Promise.reject(refuseTooLarge(bytesMax));
  // Gone while its sender was being looked at: no event will tell.
  if (request.destroyed && !request.readableEnded) return Promise.reject(connectionLost());

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;

    function onData(chunk: Buffer): void {
      received += chunk.length;
      if (received <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      request.off("data", onData).resume();
      reject(refuseTooLarge(bytesMax));
    }

    request.on("data", onData);
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, received)));
    request.on("close", () => {
      // Comes after `end` too, and an Error is dear to make.
      if (!request.readableEnded) reject(connectionLost());
    });
  });
}

function connectionLost(): ConnectionLost {
  return new ConnectionLost("The connection closed before the body was complete.");
}

function refuseTooLarge(bytesMax: number): Refusal {
  return new Refusal("invalid_input", `The request body is larger than the ${bytesMax} bytes this service accepts.`, {
    status: 413,
  });
}
