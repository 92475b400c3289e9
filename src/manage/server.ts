// The management server: its API with the reference, probes and metrics beside it, on a port of its own. docs/management.md
import { notFound } from "../contract/errors.ts";
import { MANAGE_ROUTES } from "../contract/manage/routes.ts";
import type { ManageWorld } from "../flows/manage/world.ts";
import type { ArrivalLimits } from "../listener/node-server.ts";
import { type ReferencePage, referencePages, sendPage } from "../listener/reference.ts";
import { createRouter, type RoutedRequest } from "../listener/router.ts";
import type { Ids } from "../ports/ids.ts";
import type { Log } from "../ports/log.ts";
import type { MetricsPage } from "../ports/telemetry.ts";
import { answerError, sendText } from "./answer.ts";
import { serveManaged } from "./serve.ts";

/** Answers here take a moment; one that says nothing for longer has stalled. */
const SILENCE_SECONDS = 60;
/** Answers under way have this long to get out when the server closes. */
const CUT_AFTER_SECONDS = 5;

export interface ManageServerSettings {
  /** Whether the service takes new work and its store answers; a rejection means no. */
  readonly isReady: () => Promise<boolean>;
  readonly world: ManageWorld;
  /** Builds the document that is served at `/openapi.json` and rendered at `/docs`. */
  readonly buildOpenApi: () => object;
  /** Null: this service counts nothing, and `/metrics` is not served. */
  readonly metrics: MetricsPage | null;
  readonly ids: Pick<Ids, "mintRequestId">;
  /** The contract's when left out; tests are in a hurry. */
  readonly arrival?: ArrivalLimits;
}

export interface ManageServer {
  /** Starts listening; port 0 takes a free one. */
  listen(address: { host: string; port: number }): Promise<{ port: number }>;
  /** Stops listening; answers under way are finished. */
  close(): Promise<void>;
}

/** Builds the server; it does not listen yet. */
export function createManageServer(settings: ManageServerSettings): ManageServer {
  const { ids, metrics, world } = settings;
  const { clock, log } = world;
  const router = createRouter({
    clock,
    ids,
    silenceSeconds: SILENCE_SECONDS,
    sockets: 1,
    arrival: settings.arrival,
    isReady: settings.isReady,
    handleUnknown: (routed) => answerError({ ...routed, operation: "unknown_route" }, notFound(), log),
    answerUnread: (routed, refusal) => answerError({ ...routed, operation: "unread" }, refusal, log),
  });
  for (const route of MANAGE_ROUTES) {
    router.add(route.method, `/manage/api${route.path}`, (routed) => void serveManaged(routed, route, world));
  }
  for (const page of referencePages(settings.buildOpenApi)) {
    router.add("GET", page.path, (routed) => void answerPage(routed, page, log));
  }
  if (metrics !== null) router.add("GET", "/metrics", (routed) => void answerMetrics(routed, metrics, log));
  return {
    listen: router.listen,
    close: () => router.close({ afterSeconds: CUT_AFTER_SECONDS, onCut: () => log.warn("manage.connections_cut") }),
  };
}

async function answerPage(routed: RoutedRequest, page: ReferencePage, log: Log): Promise<void> {
  try {
    await sendPage(routed.response, routed.requestId, page);
  } catch (error) {
    answerError({ ...routed, operation: "reference" }, error, log);
  }
}

async function answerMetrics(routed: RoutedRequest, { contentType, render }: MetricsPage, log: Log): Promise<void> {
  const call = { ...routed, operation: "metrics" };
  try {
    sendText(call, 200, contentType, await render());
  } catch (error) {
    answerError(call, error, log);
  }
}
