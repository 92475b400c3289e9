// An HTTP server without an interface: Fastify finds the handler, and hands the request over unread.
import type { IncomingMessage, ServerResponse } from "node:http";
import Fastify, {
  type FastifyInstance,
  type FastifyListenOptions,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from "fastify";
import type { Refusal } from "../contract/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import { acceptBeside, CAN_SHARE_ADDRESS, needFreeAddress } from "./acceptors.ts";
import { Connections } from "./connections.ts";
import { ARRIVAL_LIMITS, type ArrivalLimits, buildNodeServer, HEAD_BYTES_MAX } from "./node-server.ts";
import { answerHealth, answerReadiness } from "./probes.ts";

/** Longer than a path can be, so that an id of every length gets the uniform 404. */
const PARAM_CHARACTERS_MAX = HEAD_BYTES_MAX;
/**
 * Connections that may wait to be taken up, as far as the system allows. Of a burst beyond Node's own 511 the rest would be dropped, and
 * come again after one second and after three: a refusal that takes 50 ms would have taken 1,500.
 */
const BACKLOG = 4096;
/** The methods with a body that Fastify knows; see {@link createFastify}. */
const METHODS_WITH_BODY = ["POST", "DELETE", "PUT", "PATCH", "OPTIONS", "QUERY"];

/** A request as it comes from the router. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** Answers a request in its own time; never throws. */
export type Handle = (routed: RoutedRequest) => void;

export interface RouterSettings {
  readonly clock: Clock;
  readonly ids: Pick<Ids, "mintRequestId">;
  /** The longest that an answer under way may be silent. */
  readonly silenceSeconds: number;
  /** Sockets that listen on its address, where the system can share one among them: so many connections are taken up at once. */
  readonly sockets: number;
  /** The contract's when left out; tests are in a hurry. */
  readonly arrival: ArrivalLimits | undefined;
  /** Whether new work is welcome, for `/readyz`; a closing server says no by itself. A rejection means no. */
  readonly isReady: () => Promise<boolean>;
  /** For every path that no route has, malformed ones too. */
  readonly handleUnknown: Handle;
  /** For a request that nobody will read, with the answer it gets. */
  readonly answerUnread: (routed: Pick<RoutedRequest, "response" | "requestId">, refusal: Refusal) => void;
  /** Hears what the parser refused, which has been answered; not of a body, whose request is in a route's hands. */
  readonly onUnparsed?: (refusal: Refusal) => void;
}

export interface Router {
  add(methods: HTTPMethods | readonly HTTPMethods[], path: string, handle: Handle): void;
  /** Starts listening; port 0 takes a free one. */
  listen(address: { host: string; port: number }): Promise<{ port: number }>;
  /** Stops listening and resolves when every open answer is out; those that take longer than that many seconds are cut. */
  close(cut: { afterSeconds: number; onCut: () => void }): Promise<void>;
}

/** A server with `/healthz` and `/readyz`, to which routes are added before it listens. */
export function createRouter(settings: RouterSettings): Router {
  const { clock, ids } = settings;
  const connections = new Connections(clock, ids, settings.onUnparsed);
  const fastify = createFastify(settings, connections);
  const add: Router["add"] = (methods, path, handle) => {
    fastify.route({
      method: Array.isArray(methods) ? [...methods] : (methods as HTTPMethods),
      url: path,
      handler: take(handle),
    });
  };
  let stopBeside = () => Promise.resolve();
  const isReady = async () => !connections.isClosing && (await settings.isReady());
  add(["GET", "HEAD"], "/healthz", ({ response, requestId }) => answerHealth(response, requestId));
  add(["GET", "HEAD"], "/readyz", ({ response, requestId }) => void answerReadiness(response, requestId, isReady));
  return {
    add,
    async listen({ host, port }) {
      const reusePort = settings.sockets > 1 && CAN_SHARE_ADDRESS;
      if (reusePort && port !== 0) await needFreeAddress({ host, port });
      const listen: FastifyListenOptions & { reusePort: boolean } = { host, port, backlog: BACKLOG, reusePort };
      await fastify.listen(listen);
      if (reusePort) {
        const beside = { sockets: settings.sockets - 1, backlog: BACKLOG };
        stopBeside = await acceptBeside(fastify.server, beside).catch(async (error: unknown) => {
          // It listens on all of its sockets or on none: what goes on listening would keep a start that failed alive.
          await fastify.close();
          throw error;
        });
      }
      const address = fastify.server.address();
      return { port: address !== null && typeof address === "object" ? address.port : port };
    },
    async close({ afterSeconds, onCut }) {
      const stopTimer = clock.after(afterSeconds * 1000, () => {
        onCut();
        connections.cut();
      });
      const closed = Promise.all([fastify.close(), stopBeside()]);
      connections.startClosing();
      await closed;
      stopTimer();
    },
  };
}

/** Takes a request out of Fastify's hands as soon as it is routed. */
function take(handle: Handle) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    const params = request.params as Readonly<Record<string, string>>;
    handle({ request: request.raw, response: reply.raw, requestId: request.id, params });
  };
}

/**
 * Fastify routes; reading and answering are ours. Its body reader refuses a Content-Type it cannot parse and its `send` picks
 * serializers.
 */
function createFastify(settings: RouterSettings, connections: Connections): FastifyInstance {
  const { ids, silenceSeconds, arrival = ARRIVAL_LIMITS, answerUnread } = settings;
  const takeUnknown = take(settings.handleUnknown);
  const fastify = Fastify({
    genReqId: () => ids.mintRequestId(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX, querystringParser: () => ({}) },
    // `connections` answers for the parser.
    clientErrorHandler: () => {},
    // What the router refuses by itself: a path like any other that leads nowhere.
    frameworkErrors: (_error, request, reply) => takeUnknown(request, reply),
    serverFactory: (handler) => {
      const server = buildNodeServer({
        silenceSeconds,
        arrival,
        listener: (request, response) => {
          connections.requestOpened(request, response);
          request.url = literalPath(request.url ?? "");
          handler(request, response);
        },
        refuse: (request, response, refusal) => {
          connections.requestOpened(request, response);
          answerUnread({ response, requestId: ids.mintRequestId() }, refusal);
        },
      });
      connections.watch(server);
      return server;
    },
  });
  for (const method of METHODS_WITH_BODY) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  fastify.setNotFoundHandler(takeUnknown);
  return fastify;
}

/** A target whose path is broken percent-encoding has it taken as it stands: an id that nobody has, on the route that it is sent to. */
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
