// A TCP proxy that loses replies, as a broken network does.
import { connect, createServer, type Socket } from "node:net";

/** The fate of the next reply: nothing of it arrives, or only its first bytes. Its connection then breaks, or is silent. */
export interface Cut {
  readonly afterBytes: number;
  readonly staysOpen: boolean;
}

export class CuttingProxy {
  baseUrl = "";
  /** How many replies were lost. */
  cuts = 0;
  readonly #upstream: URL;
  readonly #server = createServer((socket) => this.#join(socket));
  readonly #sockets = new Set<Socket>();
  readonly #planned: Cut[] = [];

  private constructor(upstream: URL) {
    this.#upstream = upstream;
  }

  /** A proxy in front of the server at that address. */
  static async start(upstream: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(upstream));
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    const address = proxy.#server.address();
    if (address === null || typeof address === "string") throw new Error("not a TCP address");
    proxy.baseUrl = `http://127.0.0.1:${address.port}`;
    return proxy;
  }

  /** Loses the next replies, one by one, after so many bytes. */
  cutNext(...afterBytes: number[]): void {
    this.#planned.push(...afterBytes.map((count) => ({ afterBytes: count, staysOpen: false })));
  }

  /**
   * Loses the next reply after so many bytes, and keeps its connection open until `dropAll`: a client that has not read
   * what arrived loses it when the connection breaks.
   */
  holdNext(afterBytes: number): void {
    this.#planned.push({ afterBytes, staysOpen: true });
  }

  /** Breaks every connection now. */
  dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.dropAll();
    await closed;
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#upstream.port), this.#upstream.hostname);
    let cut: Cut | undefined;
    let left: number | null = null;
    const part = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", part);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        part();
      });
    }
    client.on("data", (chunk) => {
      // A new request: the next bytes belong to another reply.
      left = null;
      server.write(chunk);
    });
    server.on("data", (chunk: Buffer) => {
      if (left === null) {
        cut = this.#planned.shift();
        left = cut?.afterBytes ?? Number.POSITIVE_INFINITY;
      }
      const forwarded = chunk.subarray(0, Math.min(chunk.length, left));
      left -= forwarded.length;
      if (forwarded.length > 0) client.write(forwarded);
      if (left > 0) return;
      this.cuts++;
      if (cut?.staysOpen === true) {
        server.pause();
        return;
      }
      // The server's reply is lost; what was forwarded still arrives.
      server.destroy();
      client.destroySoon();
    });
  }
}
