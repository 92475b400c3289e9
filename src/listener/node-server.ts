// Node's HTTP server with its limits set: sizes, slow senders, idle and stalled connections.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { invalidInput, Refusal } from "../contract/errors.ts";
import { BODY_TIMEOUT_SECONDS, HEADERS_TIMEOUT_SECONDS } from "../contract/limits.ts";

/** Largest head of a request, bytes: Node's own default, and what proxies commonly allow. */
export const HEAD_BYTES_MAX = 16 * 1024;
/** Slow senders are looked for this often; Node's default is 30 s, as long as a whole body may take. */
const SLOW_SENDER_CHECK_MS = 1000;
/** An idle connection outlives the 60 s after which load balancers commonly let theirs go: else a request meets a closing one. */
const KEEP_ALIVE_MS = 72_000;
/** A client that takes nothing for this much longer than an answer may be silent is gone. */
const STALLED_MARGIN_SECONDS = 30;

/** How long a request may take to arrive, milliseconds. */
export interface ArrivalLimits {
  readonly headersMs: number;
  /** All of it, from its first byte. */
  readonly requestMs: number;
}

/** The contract's limits: a body has at most what its limit says, since its head is counted too. */
export const ARRIVAL_LIMITS: ArrivalLimits = {
  headersMs: HEADERS_TIMEOUT_SECONDS * 1000,
  requestMs: BODY_TIMEOUT_SECONDS * 1000,
};

export interface NodeServerSettings {
  readonly listener: RequestListener;
  /** A request that no flow will see, with the answer it gets. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse, refusal: Refusal) => void;
  /** The longest that an answer under way may be silent. */
  readonly silenceSeconds: number;
  readonly arrival: ArrivalLimits;
}

/** Builds the server. What its parser refuses is answered by {@link import("./connections.ts").Connections}. */
export function buildNodeServer({ listener, refuse, silenceSeconds, arrival }: NodeServerSettings): Server {
  const server = createServer(
    {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: arrival.headersMs,
      requestTimeout: arrival.requestMs,
      connectionsCheckingInterval: Math.min(SLOW_SENDER_CHECK_MS, arrival.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node answers a missing Host without an envelope: hosts are counted with the other headers.
      requireHostHeader: false,
      // Other upgrades (h2c, which some clients always offer) are optional for both sides: served as if not asked for.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === "websocket",
    },
    listener,
  );
  server.setTimeout((silenceSeconds + STALLED_MARGIN_SECONDS) * 1000);
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader("connection", "close");
    const message = "The only expectation met here is 100-continue.";
    refuse(request, response, new Refusal("invalid_input", message, { status: 417 }));
  });
  return server;
}

/** Refuses a request that names no host, or more than one (RFC 9112, 3.2); HTTP/1.0 may name none. */
export function checkHost({ request, response }: Exchanged, hosts: readonly string[]): void {
  if (hosts.length === 1 || (hosts.length === 0 && request.httpVersion === "1.0")) return;
  response.setHeader("connection", "close");
  throw invalidInput(null, `A request must have one Host header; this one has ${hosts.length}.`);
}

interface Exchanged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
