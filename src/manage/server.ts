// The management server: probes and metrics beside its API, on a port of its own. docs/management.md
import { notFound } from "../contract/errors.ts";
import { type ArrivalLimits } from "../listener/node-server.ts";
import { createRouter, type RoutedRequest } from "../listener/router.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Log } from "../ports/log.ts";
import { answerError, sendText } from "./answer.ts";

/** Answers here take a moment; one that says nothing for longer has stalled. */
const SILENCE_SECONDS = 60;
/** Answers under way have this long to get out when the server closes. */
const CUT_AFTER_SECONDS = 5;

/** What `/metrics` answers; null: this service counts nothing, and the path is not served. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}

export interface ManageServerSettings {
  /** Whether the service takes new work and its store answers; a rejection means no. */
  readonly isReady: () => Promise<boolean>;
  readonly metrics: MetricsPage | null;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "mintRequestId">;
  readonly log: Log;
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
  const { clock, ids, log, metrics } = settings;
  const router = createRouter({
    clock,
    ids,
    silenceSeconds: SILENCE_SECONDS,
    arrival: settings.arrival,
    isReady: settings.isReady,
    handleUnknown: (routed) => answerError({ ...routed, operation: "unknown_route" }, notFound(), log),
    refuseUnread: (routed, refusal) => answerError({ ...routed, operation: "unread" }, refusal, log),
  });
  if (metrics !== null) router.add("GET", "/metrics", (routed) => void answerMetrics(routed, metrics, log));
  return {
    listen: router.listen,
    close: () => router.close({ afterSeconds: CUT_AFTER_SECONDS, onCut: () => log.warn("manage.connections_cut") }),
  };
}

async function answerMetrics(routed: RoutedRequest, { contentType, render }: MetricsPage, log: Log): Promise<void> {
  const call = { ...routed, operation: "metrics" };
  try {
    sendText(call, 200, contentType, await render());
  } catch (error) {
    answerError(call, error, log);
  }
}
