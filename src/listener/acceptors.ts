// Several sockets that listen on one address for one HTTP server. Node takes up one new connection a turn of the event loop from each
// listening socket: of a burst that meets a busy process, the last would wait for as many turns as there are before it, seconds, and
// nobody could even refuse them. docs/decisions/overload.md
import type { Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Whether several sockets can share an address here, with the connections spread over them by the system. */
export const CAN_SHARE_ADDRESS = process.platform === "linux";

/** Throws what listening throws when somebody else has the address: sockets that share one would not notice. */
export async function needFreeAddress({ host, port }: ListenAddress): Promise<void> {
  const probe = createServer();
  await listening(probe, { host, port });
  await closed(probe);
}

/**
 * Listens with so many sockets beside a server that listens already, with `reusePort`, and hands it what they take up. Calling the result
 * stops that, and resolves when their connections have ended.
 */
export async function acceptBeside(
  server: HttpServer,
  { sockets, backlog }: { sockets: number; backlog: number },
): Promise<() => Promise<void>> {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("a server without a port has no sockets beside it");
  const options = { host: address.address, port: address.port, backlog, reusePort: true };
  const beside = Array.from({ length: sockets }, () =>
    // The options with which Node's HTTP server takes up its own connections.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
  );
  const stop = async () => {
    await Promise.all(beside.map(closed));
  };
  try {
    await Promise.all(beside.map((acceptor) => listening(acceptor, options)));
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
