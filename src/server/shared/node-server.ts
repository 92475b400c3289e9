// Node's HTTP server with its limits: sizes, slow senders, idle and stalled connections.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { ApiError } from "../../contract/errors.ts";
import { BODY_TIMEOUT_SECONDS, HEADERS_TIMEOUT_SECONDS } from "../../contract/limits.ts";

/** Largest head of a request, bytes: Node's own default, and what proxies commonly allow. */
export const HEAD_BYTES_MAX = 16 * 1024;
/** Interval of the check for slow senders; Node's default is 30 s, as long as a whole body may take. */
const SLOW_SENDER_CHECK_MS = 1000;
/**
 * Longer than the 60 s after which load balancers commonly close idle connections: otherwise a request could meet a
 * closing one.
 */
const KEEP_ALIVE_MS = 72_000;
/** A client that reads nothing for this much longer than a response may be silent counts as gone. */
const STALLED_MARGIN_SECONDS = 30;

/** How long a request may take to arrive, milliseconds. */
export interface ArrivalLimits {
  readonly headersMs: number;
  /** All of it, from its first byte. */
  readonly requestMs: number;
}

/** The limits of the contract. The body's limit covers the whole request, head included. */
export const ARRIVAL_LIMITS: ArrivalLimits = {
  headersMs: HEADERS_TIMEOUT_SECONDS * 1000,
  requestMs: BODY_TIMEOUT_SECONDS * 1000,
};

/** The handlers and limits of a server. */
export interface NodeServerSettings {
  readonly listener: RequestListener;
  /** Called for a request that is rejected before any handler. */
  readonly reject: (request: IncomingMessage, response: ServerResponse, error: ApiError) => void;
  /** How long an open response may send nothing. */
  readonly silenceSeconds: number;
  readonly arrival: ArrivalLimits;
}

/** Builds the server. {@link import("./connections.ts").Connections} responds to the parser's errors. */
export function buildNodeServer({ listener, reject, silenceSeconds, arrival }: NodeServerSettings): Server {
  const server = createServer(
    {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: arrival.headersMs,
      requestTimeout: arrival.requestMs,
      connectionsCheckingInterval: Math.min(SLOW_SENDER_CHECK_MS, arrival.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would respond to a missing Host without an envelope; the router sends one (request-head.ts).
      requireHostHeader: false,
      // Ignoring an upgrade (h2c, which some clients always offer, or WebSocket) is always allowed.
      shouldUpgradeCallback: () => false,
    },
    listener,
  );
  server.setTimeout((silenceSeconds + STALLED_MARGIN_SECONDS) * 1000);
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const message = "The only supported expectation is 100-continue.";
    reject(request, response, new ApiError("invalid_input", message, { status: 417 }));
  });
  return server;
}
