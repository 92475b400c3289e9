// The management server, on its own port: the app, the management API, /v1 for the app's playground, the reference,
// metrics and the probes. docs/management.md
import { notFound } from "../../contract/errors.ts";
import { MANAGE_BODIES_IN_HAND_BYTES, MANAGE_BODY_BYTES_MAX } from "../../contract/manage/limits.ts";
import { MANAGE_ROUTES } from "../../contract/manage/routes.ts";
import { OPERATIONS } from "../../manage/operations.ts";
import type { ManageServices } from "../../flows/manage/services.ts";
import type { InstalledFolder } from "../../installation/folder.ts";
import { installation } from "../../installation/installation.ts";
import { BodyCapacity } from "../shared/body-capacity.ts";
import type { ArrivalLimits } from "../shared/node-server.ts";
import { referencePages, sendPage } from "../shared/reference.ts";
import { createRouter, type MountedRoutes, type RoutedRequest, type Router } from "../shared/router.ts";
import { NO_STORE, sendBody } from "../shared/send.ts";
import type { Ids } from "../../ports/ids.ts";
import type { MetricsPage } from "../../ports/telemetry.ts";
import { openApp, wantsPage } from "./app.ts";
import { respondError } from "./respond.ts";
import { type ServerContext, serveRoute } from "./serve.ts";

/** Responses here are short; one that sends nothing for this long has stalled. */
const SILENCE_SECONDS = 60;
/** Time for open responses when the server closes. */
const CUT_AFTER_SECONDS = 5;

/** The parts and settings of the management server. */
export interface ManageServerSettings {
  /** Whether the service accepts new work and its store responds; a rejection means no. */
  readonly isReady: () => Promise<boolean>;
  readonly services: ManageServices;
  /** The operations of /v1, with their own authentication: no cookie of this server is read for them. */
  readonly v1: MountedRoutes;
  /** The built app; defaults to the one that is installed. */
  readonly appFolder?: InstalledFolder;
  /** Builds the document served at `/openapi.json` and rendered at `/docs`. */
  readonly buildOpenApi: () => Promise<object>;
  readonly metrics: MetricsPage;
  readonly ids: Pick<Ids, "mintRequestId">;
  /** Defaults to the contract's; tests use shorter ones. */
  readonly arrival?: ArrivalLimits;
}

/** The management server. */
export interface ManageServer extends Pick<Router, "listen" | "startClosing"> {
  /** Stops listening and lets open responses finish. */
  close(): Promise<void>;
}

/** Builds the server; it does not listen yet. */
export function createManageServer(settings: ManageServerSettings): ManageServer {
  const { ids, metrics, services, v1 } = settings;
  const { clock, log } = services;
  const server: ServerContext = {
    services,
    bodyCapacity: new BodyCapacity(MANAGE_BODIES_IN_HAND_BYTES, MANAGE_BODY_BYTES_MAX),
  };
  const app = openApp(settings.appFolder ?? installation.app);
  /** Sends what the work sends, or the response to its error. */
  const answer = (operation: string, work: (routed: RoutedRequest) => Promise<void>) => (routed: RoutedRequest) =>
    void work(routed).catch((error: unknown) => respondError({ ...routed, operation }, error, log));
  const servePage = answer("app", (routed) => app.sendPage(routed));
  const router = createRouter({
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
      else respondError({ ...routed, operation: "unknown_route" }, notFound(), log);
    },
    rejectUnread: (routed, error) => respondError({ ...routed, operation: "unread" }, error, log),
  });
  for (const route of [...MANAGE_ROUTES, ...OPERATIONS]) {
    router.add(route.method, `/manage/api${route.path}`, (routed) => void serveRoute(routed, route, server));
  }
  v1.addTo(router);
  router.add(["GET", "HEAD"], "/", servePage);
  router.add(
    ["GET", "HEAD"],
    "/assets/:name",
    answer("app", async (routed) => {
      if (!(await app.sendAsset(routed, routed.params["name"] ?? ""))) throw notFound();
    }),
  );
  for (const page of referencePages(settings.buildOpenApi)) {
    router.add(
      "GET",
      page.path,
      answer("reference", (routed) => sendPage(routed, page)),
    );
  }
  const { contentType, render } = metrics;
  const sendMetrics = async (routed: RoutedRequest) =>
    sendBody(routed, { status: 200, contentType, body: await render(), headers: NO_STORE });
  router.add("GET", "/metrics", answer("metrics", sendMetrics));
  return {
    listen: router.listen,
    startClosing: router.startClosing,
    close: () => router.close({ afterSeconds: CUT_AFTER_SECONDS, onCut: () => log.warn("manage.connections_cut") }),
  };
}
