// The sockets that several processes share. The parent binds them and never accepts a connection; its processes listen on
// all of them. A process that ends takes none of the connections that wait to be accepted with it.
import { lookup } from "node:dns/promises";
import { BoundSocket } from "node:net";
import { assertAddressFree, CAN_SHARE_ADDRESS, type ListenAddress } from "../../server/shared/acceptors.ts";

export interface BoundSockets {
  readonly port: number;
  /** Their descriptors in this process. */
  readonly descriptors: readonly number[];
  close(): void;
}

/**
 * Binds `count` sockets to an address, or one where the system cannot spread connections over several; port 0 picks a
 * free port. Rejects with the system's error: the address is in use, or the host has none.
 */
export async function bindSockets({ host, port }: ListenAddress, count: number): Promise<BoundSockets> {
  const found = await lookup(host, { all: true });
  // As a service of one process: both addresses of "localhost", one of any other name.
  const hosts = host === "localhost" ? [...new Set(found.map(({ address }) => address))] : [found[0]?.address ?? host];
  const reusePort = count > 1 && CAN_SHARE_ADDRESS;
  const sockets: BoundSocket[] = [];
  const close = () => {
    for (const socket of sockets) socket.close();
  };
  let bound = port;
  try {
    for (const each of hosts) {
      // oxlint-disable-next-line no-await-in-loop -- the first address picks the port
      if (bound !== 0) await assertAddressFree({ host: each, port: bound });
      for (let more = reusePort ? count : 1; more > 0; more--) {
        const socket = new BoundSocket({ host: each, port: bound, reusePort });
        sockets.push(socket);
        bound = socket.address().port;
      }
    }
    return { port: bound, descriptors: sockets.map((socket) => socket.fd()), close };
  } catch (error) {
    close();
    throw error;
  }
}
