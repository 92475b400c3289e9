// Sending a response whose body is complete.
import type { ServerResponse } from "node:http";

/** Headers, names and values in turn, for `writeHead`. */
export type HeaderList = readonly string[];

/** The header of content that no browser and no proxy may store: the app's playground reads that of /v1 in a browser. */
export const NO_STORE: HeaderList = ["cache-control", "no-store"];

/** A request whose response is still to be sent. */
interface Unanswered {
  readonly response: ServerResponse;
  readonly requestId: string;
}

interface CompleteBody {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers?: HeaderList;
}

/** The headers of every response: a browser must not guess the type of its content. */
export function commonHeaders(requestId: string): HeaderList {
  return ["x-content-type-options", "nosniff", "x-request-id", requestId];
}

/** Sends a body in one write with its headers. */
export function sendBody(
  { response, requestId }: Unanswered,
  { status, contentType, body, headers = [] }: CompleteBody,
): void {
  if (response.destroyed) return;
  response.writeHead(status, [
    "content-type",
    contentType,
    "content-length",
    String(Buffer.byteLength(body)),
    ...headers,
    ...commonHeaders(requestId),
  ]);
  endResponse(response, body);
}

/** Sends JSON that no browser and no proxy may store. */
export function sendJson(open: Unanswered, status: number, body: string, headers: HeaderList = []): void {
  sendBody(open, { status, contentType: "application/json; charset=utf-8", body, headers: [...NO_STORE, ...headers] });
}

/** The Content-Security-Policy of a page: content of its own server only, and no frame around it. */
export function contentSecurityPolicy({ styles = "'self'", images = "'self'" } = {}): HeaderList {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
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
function endResponse(response: ServerResponse, body: string | Uint8Array): void {
  const { req: request } = response;
  if (request.complete) {
    response.end(body);
    return;
  }
  response.write(body);
  // Whichever comes first: the end of the request, or the end of its connection.
  const end = () => response.end();
  request.once("end", end).once("close", end).resume();
}
