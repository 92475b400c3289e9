// The server's connections: what each still owes an answer to, what the HTTP parser refuses on them, how they end.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { invalidInput, Refusal } from "../contract/errors.ts";
import { BODY_TIMEOUT_SECONDS, HEADERS_TIMEOUT_SECONDS } from "../contract/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import { toEnvelope } from "./envelope.ts";

/** How long a refused connection stays open for its client to read why. */
const LINGER_MS = 1000;

/** What is open on one connection: its latest request, and how many of its requests have no whole answer yet. */
interface OpenConnection {
  unanswered: number;
  request: IncomingMessage;
  response: ServerResponse;
}

/** Watches over the connections of a server and answers for the parser. */
export class Connections {
  readonly #clock: Clock;
  readonly #ids: Pick<Ids, "mintRequestId">;
  readonly #open = new WeakMap<Duplex, OpenConnection>();
  readonly #refused = new WeakSet<Duplex>();
  readonly #servers = new Set<Server>();
  /** Hears of refusals other than of a request under way, whose end is told by who serves it. */
  readonly #onRefused: (refusal: Refusal) => void;
  #unanswered = 0;
  #isClosing = false;

  constructor(clock: Clock, ids: Pick<Ids, "mintRequestId">, onRefused: (refusal: Refusal) => void = () => {}) {
    this.#clock = clock;
    this.#ids = ids;
    this.#onRefused = onRefused;
  }

  /** Whether the server takes no new connections any more. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Answers what the parser refuses on this server's connections. */
  watch(server: Server): void {
    this.#servers.add(server);
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => this.#answerParser(error, socket));
    server.on("connect", (_request, socket) => {
      this.#refuse(socket, invalidInput(null, "CONNECT is not served: this is no proxy."));
    });
    server.on("upgrade", (_request, socket) => {
      this.#refuse(
        socket,
        invalidInput(null, "WebSocket is not served. Stream with server-sent events: `stream: true`."),
      );
    });
  }

  /** Notes a request that has come in. */
  requestOpened(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const known = this.#open.get(socket);
    const open = known ?? { unanswered: 0, request, response };
    if (known === undefined) this.#open.set(socket, open);
    open.unanswered++;
    open.request = request;
    open.response = response;
    this.#unanswered++;
    if (this.#isClosing) response.setHeader("connection", "close");
    // Comes once; `once` would cost each request a second function.
    response.on("close", () => {
      open.unanswered--;
      this.#unanswered--;
      if (this.#isClosing) this.#letGo();
    });
  }

  /** From now on a connection ends with its last answer; those that owe none end at once. */
  startClosing(): void {
    this.#isClosing = true;
    this.#letGo();
  }

  /** Cuts every connection. */
  cut(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }

  #letGo(): void {
    // A connection with half a request on it counts as active for Node: with nothing left to answer, it goes too.
    if (this.#unanswered === 0) this.cut();
    else for (const server of this.#servers) server.closeIdleConnections();
  }

  #answerParser(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#refused.has(socket) || this.#letFinish(socket)) return;
    if (error.code === "ECONNRESET" || !socket.writable || !this.#mayAnswer(socket)) {
      socket.destroy();
      return;
    }
    this.#refuse(socket, refuseParserError(error));
  }

  /**
   * Whether garbage came behind good requests that are still being answered: they are answered, then the connection ends. Clients that count a
   * body's characters for its bytes send such a tail, and their request may have created something.
   */
  #letFinish(socket: Duplex): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || !socket.writable) return false;
    const { unanswered, request, response } = connection;
    if (unanswered === 0 || !request.complete) return false;
    this.#refused.add(socket);
    if (!response.headersSent) response.setHeader("connection", "close");
    response.once("finish", () => socket.end());
    return true;
  }

  /**
   * Whether an error text would be taken for the answer to the request that it is about. Else there is none: a client would take it for the
   * answer to an earlier request, which may have created something.
   */
  #mayAnswer(socket: Duplex): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    const { unanswered, request, response } = connection;
    if (unanswered === 0) return request.complete;
    return unanswered === 1 && !request.complete && !response.headersSent;
  }

  /** Writes an answer past the HTTP server, which has given this connection up. */
  #refuse(socket: Duplex, refusal: Refusal): void {
    this.#refused.add(socket);
    const unanswered = this.#open.get(socket)?.unanswered ?? 0;
    if (unanswered === 0) this.#onRefused(refusal);
    // After an upgrade or a CONNECT nobody else listens, and a client that hangs up would end the process.
    socket.on("error", () => socket.destroy());
    const body = JSON.stringify(toEnvelope(refusal));
    socket.end(
      [
        `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
        "content-type: application/json; charset=utf-8",
        `content-length: ${Buffer.byteLength(body)}`,
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

/** What the parser's errors mean to a client (docs/wire.md, objects). */
function refuseParserError(error: NodeJS.ErrnoException): Refusal {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new Refusal("invalid_input", "The request's headers are too large.", { status: 431 });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal(
        "invalid_input",
        `The request came too slowly: its headers may take ${HEADERS_TIMEOUT_SECONDS} seconds, all of it ${BODY_TIMEOUT_SECONDS}.`,
        { status: 408 },
      );
    default:
      return invalidInput(null, "The request is not valid HTTP/1.1.");
  }
}
