// An HTTP proxy for tests: passes on requests for http:// addresses and tunnels (CONNECT), and records both.
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface SeenByProxy {
  /** The request line without the version, `CONNECT host:port` or `POST http://host/path`. */
  readonly line: string;
  readonly authorization: string | undefined;
}

export interface TestProxy {
  readonly port: number;
  readonly seen: readonly SeenByProxy[];
  close(): Promise<void>;
}

/** Starts one on loopback; `status` is its reply to CONNECT if not 200. */
export async function startProxy(status = 200): Promise<TestProxy> {
  const seen: SeenByProxy[] = [];
  const sockets = new Set<Socket>();
  const remember = ({ method, url, headers }: IncomingMessage) =>
    seen.push({ line: `${method} ${url}`, authorization: headers["proxy-authorization"] });
  const server = createServer((incoming, response) => {
    remember(incoming);
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const onwards = request(incoming.url ?? "", { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on("error", () => response.destroy());
    incoming.pipe(onwards);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("connect", (incoming, socket: Socket) => {
    remember(incoming);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host = "", port = ""] = (incoming.url ?? "").split(":");
    const onwards = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      onwards.pipe(socket).pipe(onwards);
    });
    sockets.add(onwards);
    for (const one of [socket, onwards]) one.on("error", () => one.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
