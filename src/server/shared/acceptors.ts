// Several listening sockets on one address for one HTTP server. Node accepts one connection per turn of the event loop
// from each listening socket: with a single one, the last connection of a burst waits seconds in a busy process before
// it can even be rejected. docs/decisions/overload.md
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { createServer, type ListenOptions, Server } from "node:net";

/** Listening sockets of a server that takes bursts: more connections than arrive in one turn in normal operation. */
export const LISTENING_SOCKETS = 64;

/** An address of this machine. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Sockets that another process has bound and shares: their descriptors in this process. */
export interface SharedSockets {
  readonly descriptors: readonly number[];
}

/** Node's options, with one that its types lack. */
export type Listen = ListenOptions & { readonly fd?: number | undefined };

/** Where a server listens. */
export type ListenPlace = ListenAddress | SharedSockets;

/** Whether the system can spread the connections of one address over several sockets. */
export const CAN_SHARE_ADDRESS = process.platform === "linux";

/** Throws EADDRINUSE if another process listens on the address, which sockets with `reusePort` would not notice. */
export async function assertAddressFree({ host, port }: ListenAddress): Promise<void> {
  const probe = createServer();
  await once(probe.listen({ host, port }), "listening");
  await once(probe.close(), "close");
}

/**
 * Listens on more sockets for a server that already listens, and passes it their connections: so many on its own
 * address, where it listens with `reusePort`, or these shared ones. The returned function stops listening and resolves
 * when their connections have ended.
 */
export async function addListeningSockets(
  server: HttpServer,
  { sockets, backlog }: { sockets: number | SharedSockets; backlog: number },
): Promise<() => Promise<void>> {
  const places = typeof sockets === "number" ? repeatAddress(server, sockets) : listDescriptors(sockets);
  const acceptors = places.map((place) => ({
    place: { ...place, backlog },
    // The options with which Node's HTTP server accepts its own connections.
    server: createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
  }));
  const stop = async () => {
    await Promise.all(acceptors.map((acceptor) => once(acceptor.server.close(), "close")));
  };
  try {
    await Promise.all(acceptors.map((acceptor) => once(acceptor.server.listen(acceptor.place), "listening")));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** The options to listen on the address of a server, once for each socket. */
function repeatAddress(server: HttpServer, sockets: number): readonly Listen[] {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.");
  return Array.from({ length: sockets }, () => ({ host: address.address, port: address.port, reusePort: true }));
}

/** The options to listen on shared sockets. */
function listDescriptors({ descriptors }: SharedSockets): readonly Listen[] {
  return descriptors.map((fd) => ({ fd }));
}

/**
 * Stops listening and resolves when all connections have ended. An HTTP server's own `close` would also close its idle
 * connections.
 */
export async function stopAccepting(server: HttpServer): Promise<void> {
  await once(Server.prototype.close.call(server), "close");
}
