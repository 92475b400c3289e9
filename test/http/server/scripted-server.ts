// The real server over scripted flows, and a client that sends exact bytes.
import { type AddressInfo, connect, type Socket } from "node:net";
import { DEFAULT_LIMITS, type ServiceLimits } from "../../../src/contract/limits.ts";
import { notFound } from "../../../src/contract/errors.ts";
import { ROUTES } from "../../../src/contract/routes.ts";
import type { RequestContext, Reply } from "../../../src/flows/request-context.ts";
import type { ArrivalLimits } from "../../../src/server/shared/node-server.ts";
import type { V1Flows } from "../../../src/server/v1/operations.ts";
import { createPublicServer, type PublicServer } from "../../../src/server/v1/server.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { RequestEnd } from "../../../src/ports/telemetry.ts";
import { createSystemClock } from "../../../src/system/clock.ts";
import { createMetrics } from "../../../src/system/metrics/metrics.ts";

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: unknown;
  readonly error: unknown;
}

/** A running server with scripted flows, and the requests that they received. */
export interface ScriptedServer {
  readonly server: PublicServer;
  readonly port: number;
  readonly exchanges: ReadExchange[];
  readonly unrouted: (readonly string[])[];
  readonly logged: LogLine[];
  /** The end of each request, as reported to telemetry. */
  readonly ends: RequestEnd[];
  /** Sends a text unchanged and resolves with everything received until the server ends the connection. */
  sendRaw(text: string | Uint8Array): Promise<string>;
  /** A connection to send on piece by piece. */
  open(): Promise<Connection>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An exchange as a flow saw it, with the body that it read. */
export interface ReadExchange extends RequestContext {
  readonly body: Uint8Array;
}

export interface Connection {
  readonly socket: Socket;
  /** Resolves with everything received so far once it matches. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with everything received once the connection is over. */
  ended(): Promise<string>;
}

export interface Script {
  readonly assertCapacity?: V1Flows["assertCapacity"];
  /** The first step of every flow, before it reads a body. */
  readonly admit?: () => Promise<void>;
  readonly serve?: (exchange: RequestContext) => Promise<Reply>;
  readonly rejectUnknownRoute?: V1Flows["rejectUnknownRoute"];
  readonly isReady?: V1Flows["isReady"];
  readonly limits?: Partial<ServiceLimits>;
  readonly clock?: Clock;
  readonly arrival?: ArrivalLimits;
}

/** Starts a server on a free port. */
export async function startServer(script: Script = {}): Promise<ScriptedServer> {
  const exchanges: ReadExchange[] = [];
  const unrouted: (readonly string[])[] = [];
  const logged: LogLine[] = [];
  const record = (level: string) => (event: string, fields?: unknown, error?: unknown) =>
    void logged.push({ level, event, fields, error });
  const ends: RequestEnd[] = [];
  let requests = 0;
  const clock = script.clock ?? createSystemClock();
  const { telemetry } = createMetrics(clock);

  const server = createPublicServer({
    flows: {
      assertCapacity: (operation) => script.assertCapacity?.(operation),
      async serve(exchange) {
        await script.admit?.();
        const hasBody = ROUTES.some(({ operation, body }) => operation === exchange.operation && body !== null);
        exchanges.push({ ...exchange, body: hasBody ? await exchange.readBody() : new Uint8Array(0) });
        return (await script.serve?.(exchange)) ?? { kind: "json", body: { ok: true } };
      },
      async rejectUnknownRoute(authorization, target) {
        unrouted.push(authorization);
        if (script.rejectUnknownRoute !== undefined) return script.rejectUnknownRoute(authorization, target);
        throw notFound();
      },
      keepRejection() {},
      isReady: script.isReady ?? (async () => true),
    },
    limits: { ...DEFAULT_LIMITS, ...script.limits },
    clock,
    telemetry: {
      ...telemetry,
      requestStarted(request) {
        const observed = telemetry.requestStarted(request);
        return {
          ...observed,
          ended(end) {
            ends.push(end);
            observed.ended(end);
          },
        };
      },
    },
    ids: { mintRequestId: () => `req_${++requests}` },
    // Without debug lines: the tests assert the log at its usual level.
    log: { debug: () => {}, info: record("info"), warn: record("warn"), error: record("error") },
    buildOpenApi: async () => ({ openapi: "3.1.0" }),
    ...(script.arrival === undefined ? {} : { arrival: script.arrival }),
  });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  const open = () => openConnection(port);

  return {
    server,
    port,
    exchanges,
    unrouted,
    logged,
    ends,
    open,
    async sendRaw(text) {
      const connection = await open();
      connection.socket.write(text);
      return connection.ended();
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

async function openConnection(port: AddressInfo["port"]): Promise<Connection> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let isOver = false;
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    received += text;
    notify();
  });
  socket.on("error", () => {});
  socket.on("end", () => socket.end());
  socket.on("close", () => {
    isOver = true;
    notify();
  });
  await new Promise((resolve) => socket.once("connect", resolve));

  function when(holds: () => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const watcher = () => {
        if (!holds() && !isOver) return;
        watchers.delete(watcher);
        if (holds()) resolve(received);
        else reject(new Error(`The connection ended after: ${received}`));
      };
      watchers.add(watcher);
      watcher();
    });
  }

  return { socket, until: (pattern) => when(() => pattern.test(received)), ended: () => when(() => isOver) };
}

/** One response as received. */
export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Parses a response with a content-length. */
export function parseReply(text: string): RawReply {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [statusLine = "", ...headerLines] = head.split("\r\n");
  const headers = headerLines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(" ")[1]), headers: new Map(headers), body: rest.join("\r\n\r\n") };
}

/** The text of a request with `Connection: close`. */
export function requestText(method: string, target: string, headers: readonly string[] = [], body = ""): string {
  return [`${method} ${target} HTTP/1.1`, "Host: x", "Connection: close", ...headers, "", body].join("\r\n");
}
