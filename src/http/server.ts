// The HTTP server: the contract's route table under /v1, probes and the reference beside it.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { ServiceLimits } from "../contract/limits.ts";
import { ROUTES } from "../contract/routes.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Log } from "../ports/log.ts";
import { answerError } from "./answer.ts";
import { Connections } from "./connections.ts";
import { ARRIVAL_LIMITS, type ArrivalLimits, buildNodeServer, HEAD_BYTES_MAX } from "./node-server.ts";
import type { Service } from "./operations.ts";
import { answerHealth, answerReadiness } from "./probes.ts";
import { referencePages } from "./reference.ts";
import { type RoutedRequest, type Serving, serveOperation, servePage, serveUnknownPath } from "./serve.ts";

/** Longer than a path can be, so that an id of every length gets the uniform 404. */
const PARAM_CHARACTERS_MAX = HEAD_BYTES_MAX;
/** The methods with a body that Fastify knows; see {@link createFastify}. */
const METHODS_WITH_BODY = ["POST", "DELETE", "PUT", "PATCH", "OPTIONS", "QUERY"];

/** At the drain limit the gateway ends what runs: its answers have this long to get out before the connections are cut. */
const CUT_MARGIN_SECONDS = 5;

export interface ServerSettings {
  readonly service: Service;
  readonly limits: Pick<
    ServiceLimits,
    "body_bytes" | "non_streaming_wait_seconds" | "stream_keep_alive_seconds" | "drain_seconds"
  >;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "mintRequestId">;
  readonly log: Log;
  /** The document served at `/openapi.json` and rendered at `/docs`. */
  readonly openApi: object;
  /** The contract's when left out; tests are in a hurry. */
  readonly arrival?: ArrivalLimits;
}

export interface HttpServer {
  /** Starts listening; port 0 takes a free one. */
  listen(address: { host: string; port: number }): Promise<{ port: number }>;
  /**
   * Stops listening, lets open answers finish until shortly after `drain_seconds` and cuts what is left. Requests that still come in on
   * open connections are served: it is the gateway that refuses new work while it drains.
   */
  close(): Promise<void>;
}

/** Builds the server; it does not listen yet. */
export function createServer(settings: ServerSettings): HttpServer {
  const { clock, ids, limits, log } = settings;
  const connections = new Connections(clock, ids);
  const fastify = createFastify(settings, connections);
  return {
    async listen({ host, port }) {
      await fastify.listen({ host, port });
      const address = fastify.server.address();
      return { port: address !== null && typeof address === "object" ? address.port : port };
    },
    async close() {
      const stopTimer = clock.after((limits.drain_seconds + CUT_MARGIN_SECONDS) * 1000, () => {
        log.warn("server.connections_cut");
        connections.cut();
      });
      const closed = fastify.close();
      connections.startClosing();
      await closed;
      stopTimer();
    },
  };
}

/**
 * Fastify routes; reading and answering are ours. Its body reader refuses a Content-Type it cannot parse and its `send` picks
 * serializers: every request is taken out of its hands as soon as it is routed.
 */
function createFastify(settings: ServerSettings, connections: Connections): FastifyInstance {
  const { service, limits, ids, clock, log } = settings;
  const serving: Serving = {
    service,
    bodyBytesMax: limits.body_bytes,
    surroundings: { clock, log, keepAliveMs: limits.stream_keep_alive_seconds * 1000 },
  };
  const take = (handle: (routed: RoutedRequest) => void) => (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    const params = request.params as Readonly<Record<string, string>>;
    handle({ request: request.raw, response: reply.raw, requestId: request.id, params });
  };
  const takeUnknown = take((routed) => serveUnknownPath(routed, serving));

  const fastify = Fastify({
    genReqId: () => ids.mintRequestId(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX, querystringParser: () => ({}) },
    // Malformed percent-encoding: a path like any other that leads nowhere.
    frameworkErrors: (_error, request, reply) => takeUnknown(request, reply),
    serverFactory: (handler) => {
      const server = buildNodeServer({
        silenceSeconds: Math.max(limits.non_streaming_wait_seconds, limits.stream_keep_alive_seconds),
        arrival: settings.arrival ?? ARRIVAL_LIMITS,
        listener: (request, response) => {
          connections.requestOpened(request, response);
          handler(request, response);
        },
        refuse: (request, response, refusal) => {
          connections.requestOpened(request, response);
          const requestId = ids.mintRequestId();
          answerError(
            { response, requestId, operation: "unread", hasIdempotencyKey: false, exchange: null },
            refusal,
            serving.surroundings,
          );
        },
      });
      connections.watch(server);
      return server;
    },
  });
  for (const method of METHODS_WITH_BODY) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  fastify.setNotFoundHandler(takeUnknown);
  for (const route of ROUTES) {
    fastify.route({
      method: route.method,
      url: `/v1${route.path}`,
      handler: take((routed) => serveOperation(routed, route, serving)),
    });
  }

  const isReady = async () => !connections.isClosing && (await service.isReady());
  const health = take(({ response, requestId }) => answerHealth(response, requestId));
  const readiness = take(({ response, requestId }) => void answerReadiness(response, requestId, isReady));
  fastify.route({ method: ["GET", "HEAD"], url: "/healthz", handler: health });
  fastify.route({ method: ["GET", "HEAD"], url: "/readyz", handler: readiness });
  for (const page of referencePages(settings.openApi)) {
    fastify.get(
      page.path,
      take((routed) => servePage(routed, page, serving)),
    );
  }
  return fastify;
}
