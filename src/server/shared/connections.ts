// The server's connections: their outstanding responses, the parser's errors on them, and how they end.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { invalidInput, ApiError } from "../../contract/errors.ts";
import { BODY_TIMEOUT_SECONDS, HEADERS_TIMEOUT_SECONDS } from "../../contract/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import { toEnvelope } from "./envelope.ts";

/** How long a connection stays open after an error response, so that its client can read it. */
const LINGER_MS = 1000;

/** Turns of the event loop in which a server that stops listening still accepts connections that wait. */
const TURNS_MAX = 200;
/** How long a server that stops waits for the first request of a connection, in waits of so many milliseconds. */
const SILENT_WAITS_MAX = 10;
const SILENT_WAIT_MS = 20;

/**
 * Requests of one connection that may be served at once. Hardly any client sends a second one before the first response.
 * Node passes on all requests of a read at once, up to 2,000, before it looks at what their responses hold.
 */
const UNANSWERED_MAX = 32;

/** One connection: its latest request, and how many of its requests have no complete response yet. */
interface OpenConnection {
  unanswered: number;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Tracks the connections of a server and responds to the parser's errors. */
export class Connections {
  readonly #clock: Clock;
  readonly #ids: Pick<Ids, "mintRequestId">;
  readonly #open = new WeakMap<Duplex, OpenConnection>();
  readonly #rejected = new WeakSet<Duplex>();
  readonly #servers = new Set<Server>();
  /** Called for errors outside of a request; the end of a request is reported by its handler. */
  readonly #onError: (error: ApiError) => void;
  #unanswered = 0;
  #accepted = 0;
  /** Open connections on which no request has been read yet. */
  readonly #silent = new Set<Duplex>();
  #isClosing = false;
  #endsIdle = false;

  constructor(clock: Clock, ids: Pick<Ids, "mintRequestId">, onError: (error: ApiError) => void = () => {}) {
    this.#clock = clock;
    this.#ids = ids;
    this.#onError = onError;
  }

  /** Whether the server has stopped accepting connections. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Responds to the parser's errors on this server's connections. */
  watch(server: Server): void {
    this.#servers.add(server);
    server.on("connection", (socket: Duplex) => {
      this.#accepted++;
      this.#silent.add(socket);
      socket.on("close", () => this.#silent.delete(socket));
    });
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => this.#onParserError(error, socket));
    server.on("connect", (_request, socket) => {
      this.#reject(socket, invalidInput(null, "CONNECT is not supported: this is not a proxy."));
    });
  }

  /** Records a new request. False if it is not served: its connection had too many and has been cut. */
  requestOpened(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    // Other requests of the read that led to the cut.
    if (socket.destroyed) return false;
    const known = this.#open.get(socket);
    const open = known ?? { unanswered: 0, request, response };
    if (known === undefined) {
      this.#open.set(socket, open);
      this.#silent.delete(socket);
    }
    if (open.unanswered >= UNANSWERED_MAX) {
      socket.destroy();
      return false;
    }
    open.unanswered++;
    open.request = request;
    open.response = response;
    this.#unanswered++;
    if (this.#isClosing) response.setHeader("connection", "close");
    // Emitted once; `once` would cost each request a second closure.
    response.on("close", () => {
      open.unanswered--;
      this.#unanswered--;
      if (this.#endsIdle) this.#endIdle();
    });
    return true;
  }

  /** Resolves when a turn of the event loop has accepted no connection: none is waiting then. */
  async untilNoneWaits(): Promise<void> {
    for (let turns = 0; turns < TURNS_MAX; turns++) {
      const before = this.#accepted;
      // oxlint-disable-next-line no-await-in-loop -- each turn accepts some
      await nextTurn();
      if (this.#accepted === before) return;
    }
  }

  /**
   * Resolves when the requests that clients have sent are read, after the last connection was accepted. A connection on
   * which a request is unread counts as idle, and closing it would reset it.
   */
  async untilArrivedIsRead(): Promise<void> {
    // The first turn ends with the poll that has begun, the second with one that reads what has arrived.
    await nextTurn();
    await nextTurn();
    // A client that has just connected needs a moment to send its request.
    for (let waits = 0; this.#silent.size > 0 && waits < SILENT_WAITS_MAX; waits++) {
      // oxlint-disable-next-line no-await-in-loop -- polls
      await sleep(SILENT_WAIT_MS);
    }
  }

  /** From now on responses tell the client that their connection ends with them. */
  startClosing(): void {
    this.#isClosing = true;
  }

  /** From now on a connection ends with its last response; those without an outstanding one end at once. */
  endIdle(): void {
    this.#endsIdle = true;
    this.#endIdle();
  }

  /** Cuts every connection. */
  cut(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }

  #endIdle(): void {
    // Node counts a connection with half a request on it as active; once no response is outstanding, it is cut too.
    if (this.#unanswered === 0) this.cut();
    else for (const server of this.#servers) server.closeIdleConnections();
  }

  #onParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#rejected.has(socket) || this.#finishPending(socket)) return;
    if (error.code === "ECONNRESET" || !socket.writable || !this.#mayReply(socket)) {
      socket.destroy();
      return;
    }
    this.#reject(socket, parserError(error));
  }

  /**
   * Returns true if the garbage follows valid requests that still wait for their response: they get it, then the
   * connection ends. A client that puts the number of characters into Content-Length sends such a tail, and its request
   * may have created something.
   */
  #finishPending(socket: Duplex): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || !socket.writable) return false;
    const { unanswered, request, response } = connection;
    if (unanswered === 0 || !request.complete) return false;
    this.#rejected.add(socket);
    if (!response.headersSent) response.setHeader("connection", "close");
    response.once("finish", () => socket.end());
    return true;
  }

  /**
   * Whether the client would match an error response to the right request. Otherwise none is sent: the client would
   * take it for the response to an earlier request, which may have created something.
   */
  #mayReply(socket: Duplex): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    const { unanswered, request, response } = connection;
    if (unanswered === 0) return request.complete;
    return unanswered === 1 && !request.complete && !response.headersSent;
  }

  /** Writes an error response directly to the socket, since the HTTP server has given up the connection. */
  #reject(socket: Duplex, error: ApiError): void {
    this.#rejected.add(socket);
    const unanswered = this.#open.get(socket)?.unanswered ?? 0;
    if (unanswered === 0) this.#onError(error);
    // After a CONNECT there is no other error listener, and a client that disconnects would end the process.
    socket.on("error", () => socket.destroy());
    const body = JSON.stringify(toEnvelope(error));
    socket.end(
      [
        `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
        "content-type: application/json; charset=utf-8",
        `content-length: ${Buffer.byteLength(body)}`,
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        `x-request-id: ${this.#ids.mintRequestId()}`,
        "connection: close",
        "",
        body,
      ].join("\r\n"),
    );
    const stopTimer = this.#clock.after(LINGER_MS, () => socket.destroy());
    socket.once("close", stopTimer);
  }
}

/** The ApiError for a parser error (docs/wire.md, Objects). */
function parserError(error: NodeJS.ErrnoException): ApiError {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new ApiError("invalid_input", "The request's headers are too large.", { status: 431 });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError(
        "invalid_input",
        `The request arrived too slowly: its headers may take ${HEADERS_TIMEOUT_SECONDS} seconds, all of it ${BODY_TIMEOUT_SECONDS}.`,
        { status: 408 },
      );
    default:
      return invalidInput(null, "The request is not valid HTTP/1.1.");
  }
}
