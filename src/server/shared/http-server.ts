// The HTTP server below both interfaces: finds the handler of a request and passes it the request before its body is read.
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import findMyWay, { type HTTPMethod } from "find-my-way";
import type { ApiError } from "../../contract/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import {
  addListeningSockets,
  assertAddressFree,
  CAN_SHARE_ADDRESS,
  type Listen,
  type ListenPlace,
  stopAccepting,
} from "./acceptors.ts";
import { Connections } from "./connections.ts";
import { ARRIVAL_LIMITS, type ArrivalLimits, buildNodeServer, HEAD_BYTES_MAX } from "./node-server.ts";
import { hostError } from "./request-head.ts";
import { sendJson, type PendingReply } from "./send.ts";
import { UnreadReplies } from "./unread-replies.ts";

/** Longer than any path, so that an id of any length gets the uniform 404. */
const PARAM_CHARACTERS_MAX = HEAD_BYTES_MAX;
/** The handlers read the query. */
const NO_QUERY = Object.freeze({});
const NO_PARAMS: RoutedRequest["params"] = NO_QUERY;
/**
 * Connections that may wait to be accepted, as far as the system allows. Node's default is 511: the kernel drops the
 * rest of a larger burst, and clients retry after one and three seconds, so that a rejection that takes 50 ms would
 * take 1,500.
 */
const BACKLOG = 4096;

/** A request that has found its route. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly unread: UnreadReplies;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** Handles a request asynchronously; never throws. */
export type Handle = (routed: RoutedRequest) => void;

/** The parts, limits and handlers of a server. */
export interface HttpServerSettings {
  readonly clock: Clock;
  readonly ids: Pick<Ids, "mintRequestId">;
  readonly log: Log;
  /** How long an open response may send nothing. */
  readonly silenceSeconds: number;
  /**
   * Listening sockets, where the system lets them share an address: the number of connections accepted per turn of the
   * event loop.
   */
  readonly sockets: number;
  /** Defaults to the contract's; tests use shorter ones. */
  readonly arrival: ArrivalLimits | undefined;
  /** Whether new work is accepted, for `/readyz`; false anyway while the server closes. A rejection means no. */
  readonly isReady: () => Promise<boolean>;
  /** Handles every path without a route, malformed ones included. */
  readonly handleUnknown: Handle;
  /** Sends the error for a request that is rejected before any handler. */
  readonly rejectUnrouted: (request: Omit<RoutedRequest, "params">, error: ApiError) => void;
  /** Called after the response to a parser error; not for an error within a body, which its handler reports. */
  readonly onUnparsed?: (error: ApiError) => void;
}

/** A server with routes. */
export interface HttpServer {
  add(methods: HTTPMethod | readonly HTTPMethod[], path: string, handle: Handle): void;
  /** Starts listening; port 0 picks a free port. Requests wait until `until` settles. */
  listen(place: ListenPlace & { until?: Promise<unknown> }): Promise<{ port: number }>;
  /**
   * From now on each response tells its client that the connection ends with it, and `/readyz` is 503. If the server
   * leaves its address to others, it also stops listening; resolves when the requests that have arrived by then are
   * read.
   */
  startClosing(how: { leavesAddress: boolean }): Promise<void>;
  /** Stops listening and resolves when every open response has ended; those still open after `afterSeconds` are cut. */
  close(cut: { afterSeconds: number; onCut: () => void }): Promise<void>;
}

/** Routes of one server that another one serves too. */
export interface MountedRoutes {
  /** Longest silence of their open responses. */
  readonly silenceSeconds: number;
  addTo(server: Pick<HttpServer, "add">): void;
  /** Whether they handle an unknown path. */
  hasPath(target: string): boolean;
  readonly handleUnknown: Handle;
}

/** A server with `/healthz` and `/readyz`, to which routes are added before it listens. */
export function createHttpServer(settings: HttpServerSettings): HttpServer {
  const { clock, ids, log } = settings;
  const connections = new Connections(clock, ids, settings.onUnparsed);
  const unread = new UnreadReplies(clock, () => log.warn("reply.reader_too_slow"));
  /** Requests wait for this; null once they need not. */
  let gate: Promise<void> | null = null;
  const { promise: gateOpened, resolve: openGate } = Promise.withResolvers<void>();
  /** Calls a handler with a request that is routed. */
  const pass = (handle: Handle, request: IncomingMessage, response: ServerResponse, params: RoutedRequest["params"]) =>
    handle({ request, response, requestId: ids.mintRequestId(), unread, params });
  const routes = findMyWay({
    maxParamLength: PARAM_CHARACTERS_MAX,
    querystringParser: () => NO_QUERY,
    defaultRoute: (request, response) => pass(settings.handleUnknown, request, response, NO_PARAMS),
  });
  const add: HttpServer["add"] = (methods, path, handle) => {
    routes.on([methods].flat(), path, (request, response, params) =>
      pass(handle, request, response, params as RoutedRequest["params"]),
    );
  };
  const server = createListener(settings, { connections, unread }, (request, response) => {
    if (gate === null) routes.lookup(request, response);
    else void gate.then(() => routes.lookup(request, response));
  });
  let stopSockets = () => Promise.resolve();
  let allEnded: Promise<unknown> | null = null;
  /** Stops listening; resolves when the requests that have arrived are read. */
  const stopListening = async (): Promise<void> => {
    // Connections that wait to be accepted are reset when their socket is closed.
    await connections.untilNoneWaits();
    allEnded ??= Promise.all([stopAccepting(server), stopSockets()]);
    await connections.untilArrivedIsRead();
  };
  const isReady = async () => !connections.isClosing && (await settings.isReady());
  add(["GET", "HEAD"], "/healthz", replyHealth);
  add(["GET", "HEAD"], "/readyz", (routed) => void replyReadiness(routed, isReady));
  return {
    add,
    async listen({ until, ...place }) {
      const open = () => {
        gate = null;
      };
      if (until !== undefined) gate = Promise.race([until, gateOpened]).then(open, open);
      stopSockets = await listenAt(server, place, settings.sockets);
      return { port: (server.address() as AddressInfo).port };
    },
    async startClosing({ leavesAddress }) {
      connections.startClosing();
      if (leavesAddress) await stopListening();
    },
    async close({ afterSeconds, onCut }) {
      openGate();
      const stopTimer = clock.after(afterSeconds * 1000, () => {
        onCut();
        connections.cut();
      });
      connections.startClosing();
      await stopListening();
      server.close();
      connections.endIdle();
      await allEnded;
      stopTimer();
    },
  };
}

/**
 * Listens at a place, on up to so many sockets of its own or on all that are shared. The result stops listening on all
 * but the first, which is the server's own, and resolves when their connections have ended.
 */
async function listenAt(server: Server, place: ListenPlace, socketsMax: number): Promise<() => Promise<void>> {
  const isShared = "descriptors" in place;
  const reusePort = !isShared && socketsMax > 1 && CAN_SHARE_ADDRESS;
  if (reusePort && place.port !== 0) await assertAddressFree(place);
  const first: Listen = isShared ? { fd: place.descriptors[0] } : { ...place, reusePort };
  await once(server.listen({ ...first, backlog: BACKLOG }), "listening");
  const sockets = isShared ? { descriptors: place.descriptors.slice(1) } : reusePort ? socketsMax - 1 : 0;
  return addListeningSockets(server, { sockets, backlog: BACKLOG }).catch((error: unknown) => {
    // A socket that keeps listening would keep the process of a failed start alive.
    server.close();
    throw error;
  });
}

/** The server: it rejects what no handler is to see, and passes on every other request. */
function createListener(
  { ids, silenceSeconds, arrival = ARRIVAL_LIMITS, rejectUnrouted }: HttpServerSettings,
  { connections, unread }: { readonly connections: Connections; readonly unread: UnreadReplies },
  route: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const reject = (request: IncomingMessage, response: ServerResponse, error: ApiError): void => {
    response.setHeader("connection", "close");
    rejectUnrouted({ request, response, requestId: ids.mintRequestId(), unread }, error);
  };
  const server = buildNodeServer({
    silenceSeconds,
    arrival,
    listener: (request, response) => {
      if (!connections.requestOpened(request, response)) return;
      const error = hostError(request);
      if (error !== null) return reject(request, response, error);
      request.url = literalPath(request.url ?? "");
      route(request, response);
    },
    reject: (request, response, error) => {
      if (connections.requestOpened(request, response)) reject(request, response, error);
    },
  });
  connections.watch(server);
  return server;
}

/** Replies to `/healthz`: the process runs and its event loop turns. */
function replyHealth(probe: PendingReply): void {
  sendStatus(probe, 200, "ok");
}

/** Replies to `/readyz`: 200 while new work is accepted, else 503. A rejection means no. */
async function replyReadiness(probe: PendingReply, isReady: () => Promise<boolean>): Promise<void> {
  const ready = await isReady().catch(() => false);
  sendStatus(probe, ready ? 200 : 503, ready ? "ready" : "not_ready");
}

function sendStatus(probe: PendingReply, status: number, word: string): void {
  sendJson(probe, status, JSON.stringify({ status: word }));
}

/**
 * Escapes a path with invalid percent-encoding, so that it is taken literally: an unknown id on the route it was sent
 * to.
 */
function literalPath(target: string): string {
  if (!target.includes("%")) return target;
  const [path = "", ...query] = target.split("?");
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return [path.replaceAll("%", "%25"), ...query].join("?");
  }
}
