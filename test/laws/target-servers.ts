// Servers of chat completions that fail as a test says, and record what they were asked.
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";

/** What a server does with one request. */
export type Behaviour =
  /** It answers; `slow`: after a while. */
  | "answers"
  | "slow"
  /** It does not listen. */
  | "refuses"
  /** It takes the request and sends nothing: resets the connection, or stays silent. */
  | "resets"
  | "silent"
  /** It sends a head and nothing more. */
  | "resets_after_head"
  /** It sends a part of an answer: then it resets the connection, or stays silent. */
  | "resets_after_text"
  | "silent_after_text"
  /** Its stream is an error of overload: at once, or after a part of an answer. */
  | "overloaded_in_stream"
  | "overloaded_after_text"
  | { readonly status: number; readonly retryAfter?: number };

/** A request as a server got it. */
export interface Asked {
  readonly server: string;
  readonly behaviour: Behaviour;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** By the clock of the service. */
  readonly atMs: number;
}

export interface TargetServer {
  readonly name: string;
  readonly url: string;
  /** Its behaviours from now on, one for each request; after them it answers. */
  plays(behaviours: readonly Behaviour[]): Promise<void>;
  close(): Promise<void>;
}

const SLOW_MS = 15;

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const textOf = (content: string) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const END =
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }) +
  "data: [DONE]\n\n";
const ROLE = event({ choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }] });
const OVERLOADED = event({ error: { type: "overloaded_error", message: "Overloaded" } });
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/** The text of an answer, by the server's name. */
export const answerOf = (name: string) => `answer of ${name}`;

/** Opens a server. No connection is used twice: a request that is refused was sent on none. */
export async function openTargetServer(name: string, nowMs: () => number, asked: Asked[]): Promise<TargetServer> {
  const sockets = new Set<Socket>();
  let behaviours: Behaviour[] = [];
  let port = 0;
  let server = newServer();

  function newServer(): Server {
    return createServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => {});
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk.toString("utf8");
        const end = received.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
        if (end === -1 || Buffer.byteLength(received) < end + 4 + length) return;
        const { messages } = JSON.parse(received.slice(end + 4));
        const behaviour = behaviours.shift() ?? "answers";
        asked.push({ server: name, behaviour, messages, atMs: nowMs() });
        act(socket, behaviour);
      });
    });
  }

  function act(socket: Socket, behaviour: Behaviour): void {
    if (typeof behaviour === "object") {
      const wait = behaviour.retryAfter === undefined ? "" : `retry-after: ${behaviour.retryAfter}\r\n`;
      socket.end(`HTTP/1.1 ${behaviour.status} X\r\nconnection: close\r\ncontent-length: 0\r\n${wait}\r\n`);
      return;
    }
    switch (behaviour) {
      case "answers":
        socket.end(HEAD + textOf(answerOf(name)) + END);
        return;
      case "slow":
        setTimeout(() => socket.end(HEAD + textOf(answerOf(name)) + END), SLOW_MS);
        return;
      case "refuses":
      case "resets":
        socket.resetAndDestroy();
        return;
      case "silent":
        return;
      case "resets_after_head":
        socket.write(HEAD, () => socket.resetAndDestroy());
        return;
      case "resets_after_text":
        // A part that was not read before the reset is lost.
        socket.write(HEAD + textOf("half an answer"));
        setTimeout(() => socket.resetAndDestroy(), SLOW_MS);
        return;
      case "silent_after_text":
        socket.write(HEAD + textOf("half an answer"));
        return;
      case "overloaded_in_stream":
        socket.end(HEAD + ROLE + OVERLOADED);
        return;
      case "overloaded_after_text":
        socket.end(HEAD + textOf("half an answer") + OVERLOADED);
        return;
      default:
        behaviour satisfies never;
    }
  }

  async function listen(): Promise<void> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  }

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  }

  await listen();
  return {
    name,
    url: `http://127.0.0.1:${port}/v1`,
    async plays(next) {
      behaviours = [...next];
      const refuses = next[0] === "refuses";
      if (refuses === !server.listening) return;
      if (refuses) return stop();
      server = newServer();
      await listen();
    },
    close: stop,
  };
}
