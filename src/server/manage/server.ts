// The management server, on its own port: the app, the management API, /v1 for the app's playground, the reference,
// metrics and the probes. docs/management.md
import type { AddressRange } from "../../contract/address-range.ts";
import { notFound } from "../../contract/errors.ts";
import { MANAGE_BODIES_IN_HAND_BYTES, MANAGE_BODY_BYTES_MAX } from "../../contract/manage/limits.ts";
import { OPERATIONS } from "../../manage/operations.ts";
import type { ManageServices } from "../../flows/manage/services.ts";
import type { InstalledFolder } from "../../installation/folder.ts";
import { installation } from "../../installation/installation.ts";
import { createClientAddress } from "../shared/client-address.ts";
import { BodyCapacity } from "../shared/body-capacity.ts";
import type { ArrivalLimits } from "../shared/node-server.ts";
import { pageBody, referencePages } from "../shared/reference.ts";
import { createHttpServer, type MountedRoutes, type RoutedRequest, type HttpServer } from "../shared/http-server.ts";
import { NO_STORE } from "../shared/send.ts";
import { type HttpReply, type OpenRequest, rejectUnrouted, serve } from "../shared/serve.ts";
import type { Ids } from "../../ports/ids.ts";
import type { MetricsPage } from "../../ports/telemetry.ts";
import { openApp, wantsPage } from "./app.ts";
import { type ManageContext, serveRoute, UNOBSERVED } from "./serve.ts";

/** Responses here are short; one that sends nothing for this long has stalled. */
const SILENCE_SECONDS = 60;
/** Time for open responses when the server closes. */
const CUT_AFTER_SECONDS = 5;

/** The parts and settings of the management server. */
export interface ManageServerSettings {
  /** Whether the service accepts new work and its store responds; a rejection means no. */
  readonly isReady: () => Promise<boolean>;
  readonly services: ManageServices;
  /** Why every request of the interface is a 503; null: none is. */
  readonly leftBehind: () => Error | null;
  /** The reverse proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly AddressRange[];
  /** The operations of /v1, with their own authentication: no cookie of this server is read for them. */
  readonly v1: MountedRoutes;
  /** The built app; defaults to the one that is installed. */
  readonly appFolder?: InstalledFolder;
  /** Builds the document served at `/openapi.json` and rendered at `/docs`. */
  readonly buildOpenApi: () => Promise<object>;
  /** Builds that of `/v1`, at `/openapi-v1.json` and `/docs-v1`. */
  readonly buildV1OpenApi: () => Promise<object>;
  readonly metrics: MetricsPage;
  readonly ids: Pick<Ids, "mintRequestId">;
  /** Defaults to the contract's; tests use shorter ones. */
  readonly arrival?: ArrivalLimits;
}

/** The management server. */
export interface ManageServer extends Pick<HttpServer, "listen" | "startClosing"> {
  /** Stops listening and lets open responses finish. */
  close(): Promise<void>;
}

/** Builds the server; it does not listen yet. */
export function createManageServer(settings: ManageServerSettings): ManageServer {
  const { ids, metrics, services, v1 } = settings;
  const { clock, log } = services;
  const addressOf = createClientAddress(settings.trustedProxies);
  const server: ManageContext = {
    addressOf,
    leftBehind: settings.leftBehind,
    clock,
    log,
    bodyCapacity: new BodyCapacity(MANAGE_BODIES_IN_HAND_BYTES, MANAGE_BODY_BYTES_MAX),
    bodyBytesMax: MANAGE_BODY_BYTES_MAX,
    // Bodies are also read before anybody has signed in.
    ownerOf({ request }) {
      const address = addressOf(request);
      return { organizationId: address, keyId: address };
    },
    async rejectUnknown() {
      throw notFound();
    },
    headersOf: () => [],
    challenge: [],
    logFailure: (_status, fields, cause) => log.error("manage.request_failed", fields, cause),
    onRejected() {},
  };
  const app = openApp(settings.appFolder ?? installation.app);
  const replyWith = (operation: string, work: (open: OpenRequest) => Promise<HttpReply>) => (routed: RoutedRequest) =>
    serve(routed, { operation, observed: UNOBSERVED }, server, work);
  const servePage = replyWith("app", ({ request }) => app.page(request));
  const rejectUnknown = replyWith("unknown_route", server.rejectUnknown);
  const httpServer = createHttpServer({
    clock,
    ids,
    log,
    silenceSeconds: Math.max(SILENCE_SECONDS, v1.silenceSeconds),
    sockets: 1,
    arrival: settings.arrival,
    isReady: settings.isReady,
    handleUnknown: (routed) => {
      const target = routed.request.url ?? "";
      if (v1.hasPath(target)) v1.handleUnknown(routed);
      else if (wantsPage(routed) && !target.startsWith("/manage/")) servePage(routed);
      else rejectUnknown(routed);
    },
    rejectUnrouted: (routed, error) =>
      rejectUnrouted(routed, { operation: "unread", observed: UNOBSERVED }, error, server),
  });
  for (const route of OPERATIONS) {
    httpServer.add(route.method, `/manage/api${route.path}`, (routed) => serveRoute(routed, route, services, server));
  }
  v1.addTo(httpServer);
  httpServer.add(["GET", "HEAD"], "/", servePage);
  httpServer.add(["GET", "HEAD"], "/assets/:name", (routed) =>
    replyWith("app", ({ request }) => app.asset(request, routed.params["name"] ?? ""))(routed),
  );
  const references = [
    { name: "/v1", page: "/docs-v1", document: "/openapi-v1.json", build: settings.buildV1OpenApi },
    { name: "/manage/api", page: "/docs", document: "/openapi.json", build: settings.buildOpenApi },
  ] as const;
  for (const page of referencePages(references)) {
    httpServer.add(
      "GET",
      page.path,
      replyWith("reference", () => pageBody(page)),
    );
  }
  const { contentType, render } = metrics;
  httpServer.add(
    "GET",
    "/metrics",
    replyWith("metrics", async () => ({ status: 200, contentType, body: await render(), headers: NO_STORE })),
  );
  return {
    listen: httpServer.listen,
    startClosing: httpServer.startClosing,
    close: () => httpServer.close({ afterSeconds: CUT_AFTER_SECONDS, onCut: () => log.warn("manage.connections_cut") }),
  };
}
