// Sending a response whose body is complete.
import type { ServerResponse } from "node:http";
import { writeSlices } from "./slices.ts";
import type { UnreadReplies } from "./unread-replies.ts";

/** Headers, names and values in turn, for `writeHead`. */
export type HeaderList = readonly string[];

/** The header of content that no browser and no proxy may store: the app's playground reads that of /v1 in a browser. */
export const NO_STORE: HeaderList = ["cache-control", "no-store"];

/** A request whose response is still to be sent. */
export interface PendingReply {
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The server's unread replies. */
  readonly unread: UnreadReplies;
  /** Whether memory is reserved for the response until it is sent. */
  readonly isReserved?: boolean;
}

/** A body, or its pieces in order. */
type Body = string | Uint8Array | readonly (string | Uint8Array)[];

/** A reply whose body is complete. */
export interface CompleteBody {
  readonly status: number;
  readonly contentType: string;
  readonly body: Body;
  readonly headers?: HeaderList;
}

/** A body above this is written in slices, bytes. */
const LONG_BYTES = 256 * 1024;

/** The headers of every response: a browser must not guess the type of its content. */
export function commonHeaders(requestId: string): HeaderList {
  return ["x-content-type-options", "nosniff", "x-request-id", requestId];
}

/** Sends a body with its headers: a short one in one write, a long one in slices. */
export function sendBody(
  { response, requestId, unread, isReserved = false }: PendingReply,
  { status, contentType, body, headers = [] }: CompleteBody,
): void {
  if (response.destroyed) return;
  const bytes = byteLength(body);
  response.writeHead(status, [
    "content-type",
    contentType,
    "content-length",
    String(bytes),
    ...headers,
    ...commonHeaders(requestId),
  ]);
  if (bytes > LONG_BYTES) {
    let unwritten = bytes;
    unread.watch(response, () => unwritten + response.writableLength, isReserved);
    const pieces = isWhole(body) ? [body] : body;
    void writeSlices(response, pieces, (written) => (unwritten -= written)).then(() => endResponse(response));
    return;
  }
  endResponse(response, isWhole(body) ? body : joined(body));
  // Nearly always the system has taken everything.
  if (response.writableLength > 0) unread.watch(response, () => response.writableLength, isReserved);
}

function isWhole(body: Body): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

function byteLength(body: Body): number {
  if (isWhole(body)) return Buffer.byteLength(body);
  return body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

function joined(pieces: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  return Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}

/** A reply of JSON that no browser and no proxy may store. */
export function jsonBody(status: number, body: Body, headers: HeaderList = []): CompleteBody {
  return { status, contentType: "application/json; charset=utf-8", body, headers: [...NO_STORE, ...headers] };
}

/** Sends a {@link jsonBody}. */
export function sendJson(open: PendingReply, status: number, body: Body, headers: HeaderList = []): void {
  sendBody(open, jsonBody(status, body, headers));
}

/** The Content-Security-Policy of a page: content of its own server only, and no frame around it. */
export function contentSecurityPolicy({ styles = "'self'", images = "'self'" } = {}): HeaderList {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return ["content-security-policy", policy.join("; ")];
}

/**
 * Writes the body and ends the response. If the request is still arriving, the rest of it is read and discarded first:
 * with `Connection: close`, which many proxies send, Node would otherwise cut the connection while the client is
 * sending, and the client would see a broken pipe instead of the response. The request timeout limits how long that
 * takes.
 */
function endResponse(response: ServerResponse, body?: string | Uint8Array): void {
  const { req: request } = response;
  if (request.complete) {
    response.end(body);
    return;
  }
  if (body !== undefined) response.write(body);
  // Whichever comes first: the end of the request, or the end of its connection.
  const end = () => response.end();
  request.once("end", end).once("close", end).resume();
}
