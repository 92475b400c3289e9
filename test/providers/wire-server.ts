// A provider that misbehaves on purpose: a bare TCP server whose script writes every byte.
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";

/** One request as received, and its socket. */
export interface WireRequest {
  readonly head: string;
  readonly body: string;
  readonly socket: Socket;
  /** Counts connections from 1. */
  readonly connection: number;
}

export interface WireServer {
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly WireRequest[];
  /** Number of connections opened so far, and of those open now. */
  readonly opened: number;
  readonly open: number;
  /** Resolves when no connection is open. */
  closed(): Promise<void>;
  /** Stops accepting connections; open ones stay. */
  stopListening(): void;
  close(): Promise<void>;
}

/** Listens on loopback; the script is called for each complete request, `greet` for the first bytes of any kind. */
export async function startWireServer(
  script: (request: WireRequest) => void,
  greet?: (connection: { socket: Socket }) => void,
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  const server: Server = createServer((socket) => {
    const connection = ++opened;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) server.emit("idle");
    });
    let received = Buffer.alloc(0);
    if (greet !== undefined) socket.once("data", () => greet({ socket }));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = received.subarray(0, end).toString("latin1");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      const body = received.subarray(end + 4, end + 4 + length).toString("utf8");
      received = received.subarray(end + 4 + length);
      const request = { head, body, socket, connection };
      requests.push(request);
      script(request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ended = once(server, "close");
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get opened() {
      return opened;
    },
    get open() {
      return sockets.size;
    },
    stopListening() {
      server.close();
    },
    async closed() {
      if (sockets.size > 0) await once(server, "idle");
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) server.close();
      await ended;
    },
  };
}

const STREAM_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_wire\r\n";

/** Opens an event stream in HTTP chunks. */
export function writeHead(socket: Socket, extra = ""): void {
  socket.write(`${STREAM_HEAD}transfer-encoding: chunked\r\n${extra}\r\n`);
}

/** One HTTP chunk, encoded. */
export function httpChunk(bytes: string | Uint8Array): Buffer {
  const body = toBuffer(bytes);
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")]);
}

/** The end of a chunked body. */
export const LAST_CHUNK = "0\r\n\r\n";

/** One event with a delta of text. */
export function textEvent(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
}

export const FINISH_EVENT = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
export const USAGE_EVENT = 'data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}\n\n';
export const DONE_EVENT = "data: [DONE]\n\n";

/** A complete response with a body of known length. */
export function writeAnswer(socket: Socket, status: number, body: string | Uint8Array, headers = ""): void {
  const bytes = toBuffer(body);
  socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: ${bytes.length}\r\nx-request-id: req_wire\r\n${headers}\r\n`);
  socket.write(bytes);
}

function toBuffer(bytes: string | Uint8Array): Buffer {
  return typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes);
}

/** Writes pieces as long as the other side reads them; returns the bytes given to the socket. */
export function flood(socket: WireRequest["socket"], piece: Uint8Array, bytesMax: number): Promise<number> {
  return new Promise((resolve) => {
    let sent = 0;
    const fill = () => {
      let takes = true;
      while (takes && sent < bytesMax && !socket.destroyed) {
        takes = socket.write(piece);
        sent += piece.length;
      }
      if (sent >= bytesMax) resolve(sent);
    };
    socket.on("drain", fill);
    socket.on("close", () => resolve(sent));
    fill();
  });
}
