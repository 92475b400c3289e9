// The public server: the contract's routes under /v1, the reference and the probes.
import { FairCapacity } from "../../base/fair-capacity.ts";
import type { ServiceLimits } from "../../contract/limits.ts";
import { ROUTES } from "../../contract/routes.ts";
import { LISTENING_SOCKETS } from "../shared/acceptors.ts";
import { BodyCapacity } from "../shared/body-capacity.ts";
import type { ArrivalLimits } from "../shared/node-server.ts";
import { unknownPath } from "../../flows/unknown-route.ts";
import { pageBody, referencePages } from "../shared/reference.ts";
import { createHttpServer, type MountedRoutes, type HttpServer } from "../shared/http-server.ts";
import { rejectUnrouted, serve } from "../shared/serve.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { V1Flows } from "./operations.ts";
import { allowanceHeaders, observe, serveV1Operation, type V1Context } from "./serve.ts";

/** Matches as the router does: a target may be a whole URL, and any of its characters encoded. */
const UNDER_V1 = /^(?:https?:\/\/[^/?#]*)?\/(?:v|%76)(?:1|%31)(?:[/?#]|$)/;

/** No body is read before its caller is known. */
const NO_CALLER = { organizationId: "", keyId: "" };

/**
 * Time for the last responses after the drain limit, at which the gateway ends its runs, before the connections are
 * cut.
 */
const CUT_MARGIN_SECONDS = 5;

/** What counts as one unit of the capacity for replies, bytes. */
const REPLY_STEP_BYTES = 64 * 1024;

/** The parts and limits of the public server. */
export interface ServerSettings {
  readonly flows: V1Flows;
  readonly limits: Pick<
    ServiceLimits,
    | "body_bytes"
    | "bodies_in_hand_bytes"
    | "replies_in_hand_bytes"
    | "non_streaming_wait_seconds"
    | "stream_keep_alive_seconds"
    | "drain_seconds"
  >;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "mintRequestId">;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Builds the document served at `/openapi.json` and rendered at `/docs`, when it is first requested. */
  readonly buildOpenApi: () => Promise<object>;
  /** Defaults to the contract's; tests use shorter ones. */
  readonly arrival?: ArrivalLimits;
}

/** The public server. */
export interface PublicServer extends Pick<HttpServer, "listen" | "startClosing"> {
  /** The operations, which another server can serve too: same flows, same limits, no pages. */
  readonly v1: MountedRoutes;
  /**
   * Stops listening, lets open responses finish until shortly after `drain_seconds` and cuts the rest. Requests on open
   * connections are still served: the gateway itself rejects new work while it drains.
   */
  close(): Promise<void>;
}

/** Builds the server; it does not listen yet. */
export function createPublicServer(settings: ServerSettings): PublicServer {
  const { flows, clock, ids, limits, log, telemetry } = settings;
  const server: V1Context = {
    flows,
    clock,
    log,
    telemetry,
    bodyCapacity: new BodyCapacity(limits.bodies_in_hand_bytes, limits.body_bytes),
    bodyBytesMax: limits.body_bytes,
    replyCapacity: new FairCapacity(limits.replies_in_hand_bytes, REPLY_STEP_BYTES),
    keepAliveMs: limits.stream_keep_alive_seconds * 1000,
    ownerOf: ({ context }) => context?.caller ?? NO_CALLER,
    // Under /v1 authentication comes first. @spec what-the-service-does
    async rejectUnknown({ request: { url: target = "" }, head }) {
      if (!isUnderV1(target)) throw unknownPath(target);
      return flows.rejectUnknownRoute(head.authorization, target);
    },
    headersOf: allowanceHeaders,
    challenge: ["www-authenticate", "Bearer"],
    logFailure(status, fields, cause) {
      if (status === 500) log.error("request.failed", fields, cause);
      else log.warn("request.failed", fields, cause);
    },
    onRejected({ requestId, context }, error) {
      if (context === null) return;
      const { operation, caller, model } = context;
      flows.keepRejection({ requestId, operation, caller, model }, error);
    },
  };
  const v1: MountedRoutes = {
    silenceSeconds: Math.max(limits.non_streaming_wait_seconds, limits.stream_keep_alive_seconds),
    addTo(httpServer) {
      for (const route of ROUTES) {
        httpServer.add(route.method, `/v1${route.path}`, (routed) => serveV1Operation(routed, route, server));
      }
    },
    hasPath: isUnderV1,
    handleUnknown: (routed) => serve(routed, observe(server, routed, "unknown_route"), server, server.rejectUnknown),
  };
  const httpServer = createHttpServer({
    clock,
    ids,
    log,
    silenceSeconds: v1.silenceSeconds,
    sockets: LISTENING_SOCKETS,
    arrival: settings.arrival,
    isReady: () => flows.isReady(),
    handleUnknown: v1.handleUnknown,
    rejectUnrouted: (routed, error) => rejectUnrouted(routed, observe(server, routed, "unread"), error, server),
    onUnparsed: ({ status, code }) => telemetry.requestUnparsed(status, code),
  });
  v1.addTo(httpServer);
  const reference = { name: "/v1", page: "/docs", document: "/openapi.json", build: settings.buildOpenApi } as const;
  for (const page of referencePages([reference])) {
    httpServer.add("GET", page.path, (routed) =>
      serve(routed, observe(server, routed, "reference", page.path), server, () => pageBody(page)),
    );
  }
  return {
    v1,
    listen: httpServer.listen,
    startClosing: httpServer.startClosing,
    close: () =>
      httpServer.close({
        afterSeconds: limits.drain_seconds + CUT_MARGIN_SECONDS,
        onCut: () => log.warn("server.connections_cut"),
      }),
  };
}

/** Whether a request target is below /v1. */
function isUnderV1(target: string): boolean {
  return UNDER_V1.test(target);
}
