// A proxy in front of a PostgreSQL server that refuses, stalls or cuts connections when a test says so.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

/** COMMIT as a client sends it. */
export const COMMIT = "Q\0\0\0\u000Bcommit\0";

export interface PostgresProxy {
  /** The server's address through the proxy. */
  readonly url: string;
  /** Cuts every connection and refuses new ones, until `restore`. */
  refuse(): void;
  restore(): void;
  /**
   * Cuts the connection that sends this text, once, after the server has received it and before its answer arrives; calls
   * back then.
   */
  cutAfter(text: string, onCut?: () => void): void;
  /** Cuts the connection that sends this text, once, before the server has received it. */
  cutBefore(text: string): void;
  /** Swallows everything of the connection that sends this text, once, from then on: its process seems to stand still. */
  stopAfter(text: string): void;
  /** Loses what the connection that sends this text sends, once, from then on; what the server sends still arrives. */
  loseFrom(text: string): void;
  /** Swallows everything from now on, in both directions: connections stay open and silent, until `restore`. */
  stall(): void;
}

/** Starts a proxy to the server of an address; it ends with the test, or whatever `t` is. */
export async function startPostgresProxy(t: Pick<TestContext, "after">, target: string): Promise<PostgresProxy> {
  const { port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let mode: "forward" | "refuse" | "stall" = "forward";
  let stopText: string | null = null;
  let loseText: string | null = null;
  let cut: { readonly text: string; readonly onAnswer: (() => void) | null } | null = null;
  const proxy = createServer((client) => {
    if (mode === "refuse") return client.destroy();
    const server = connect(Number(port), "127.0.0.1");
    let onAnswer: (() => void) | null = null;
    let isStopped = false;
    let isLost = false;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on("data", (bytes: Buffer) => {
      if (loseText !== null && bytes.includes(loseText)) {
        loseText = null;
        isLost = true;
      }
      if (mode === "stall" || isStopped || isLost) return;
      if (stopText !== null && bytes.includes(stopText)) {
        stopText = null;
        isStopped = true;
      }
      if (cut !== null && bytes.includes(cut.text)) {
        ({ onAnswer } = cut);
        cut = null;
        if (onAnswer === null) client.destroy();
      }
      if (!client.destroyed) server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (onAnswer !== null) {
        client.destroy();
        onAnswer();
      } else if (mode !== "stall" && !isStopped) client.write(bytes);
    });
    return undefined;
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const cutAll = () => sockets.forEach((socket) => socket.destroy());
  t.after(() => {
    cutAll();
    proxy.close();
  });
  return {
    url: `postgres://postgres@127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    refuse: () => {
      mode = "refuse";
      cutAll();
    },
    restore: () => {
      mode = "forward";
    },
    cutAfter: (text, onCut = () => {}) => {
      cut = { text, onAnswer: onCut };
    },
    cutBefore: (text) => {
      cut = { text, onAnswer: null };
    },
    stopAfter: (text) => {
      stopText = text;
    },
    loseFrom: (text) => {
      loseText = text;
    },
    stall: () => {
      mode = "stall";
    },
  };
}
