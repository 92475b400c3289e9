// Several listening sockets on one address for one HTTP server. Node accepts one connection per turn of the event loop
// from each listening socket: with a single one, the last connection of a burst waits seconds in a busy process before
// it can even be rejected. docs/decisions/overload.md
import type { Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Whether the system can spread the connections of one address over several sockets. */
export const CAN_SHARE_ADDRESS = process.platform === "linux";

/** Throws EADDRINUSE if another process listens on the address, which sockets with `reusePort` would not notice. */
export async function assertAddressFree({ host, port }: ListenAddress): Promise<void> {
  const probe = createServer();
  await listening(probe, { host, port });
  await closed(probe);
}

/**
 * Opens `sockets` more listening sockets for a server that already listens with `reusePort`, and passes it their
 * connections. The returned function stops listening and resolves when their connections have ended.
 */
export async function addListeningSockets(
  server: HttpServer,
  { sockets, backlog }: { sockets: number; backlog: number },
): Promise<() => Promise<void>> {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.");
  const options = { host: address.address, port: address.port, backlog, reusePort: true };
  const acceptors = Array.from({ length: sockets }, () =>
    // The options with which Node's HTTP server accepts its own connections.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
  );
  const stop = async () => {
    await Promise.all(acceptors.map(closed));
  };
  try {
    await Promise.all(acceptors.map((acceptor) => listening(acceptor, options)));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

function listening(server: Server, options: ListenAddress & { backlog?: number; reusePort?: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
