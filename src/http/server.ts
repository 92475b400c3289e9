// The HTTP server: the contract's route table under /v1, probes and the reference beside it.
import type { ServiceLimits } from "../contract/limits.ts";
import { ROUTES } from "../contract/routes.ts";
import type { ArrivalLimits } from "../listener/node-server.ts";
import { referencePages } from "../listener/reference.ts";
import { createRouter } from "../listener/router.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Log } from "../ports/log.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { Service } from "./operations.ts";
import { answerUnread, type Serving, serveOperation, servePage, serveUnknownPath } from "./serve.ts";

/** At the drain limit the gateway ends what runs: its answers have this long to get out before the connections are cut. */
const CUT_MARGIN_SECONDS = 5;

/** Connections that are taken up in one turn of the event loop: more than come in one while clients behave, enough for when they don't. */
const LISTENING_SOCKETS = 64;

export interface ServerSettings {
  readonly service: Service;
  readonly limits: Pick<
    ServiceLimits,
    "body_bytes" | "non_streaming_wait_seconds" | "stream_keep_alive_seconds" | "drain_seconds"
  >;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "mintRequestId">;
  readonly log: Log;
  readonly telemetry: Telemetry;
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
  const { service, clock, ids, limits, log, telemetry } = settings;
  const serving: Serving = {
    service,
    bodyBytesMax: limits.body_bytes,
    surroundings: { clock, log, keepAliveMs: limits.stream_keep_alive_seconds * 1000 },
    telemetry,
  };
  const router = createRouter({
    clock,
    ids,
    silenceSeconds: Math.max(limits.non_streaming_wait_seconds, limits.stream_keep_alive_seconds),
    sockets: LISTENING_SOCKETS,
    arrival: settings.arrival,
    isReady: () => service.isReady(),
    handleUnknown: (routed) => serveUnknownPath(routed, serving),
    answerUnread: (routed, refusal) => answerUnread(routed, refusal, serving),
    onUnparsed: ({ status, code }) => telemetry.requestUnparsed(status, code),
  });
  for (const route of ROUTES) {
    router.add(route.method, `/v1${route.path}`, (routed) => serveOperation(routed, route, serving));
  }
  for (const page of referencePages(() => settings.openApi)) {
    router.add("GET", page.path, (routed) => servePage(routed, page, serving));
  }
  return {
    listen: router.listen,
    close: () =>
      router.close({
        afterSeconds: limits.drain_seconds + CUT_MARGIN_SECONDS,
        onCut: () => log.warn("server.connections_cut"),
      }),
  };
}
