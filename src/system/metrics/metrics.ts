// Metrics: plain numbers kept where things happen, and the page that shows them. Names and meanings: docs/observability.md.
import type { ServiceLimits } from "../../contract/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { MetricsPage, Occupancy, StoreTelemetry, Telemetry } from "../../ports/telemetry.ts";
import { expose } from "./exposition.ts";
import { createLogMetrics } from "./log.ts";
import { createOccupancyGauges } from "./occupancy.ts";
import { createProcessMetrics } from "./process-metrics.ts";
import { createRequestMetrics } from "./requests.ts";
import { createStoreMetrics } from "./store.ts";
import { createStoreFileGauge } from "./store-files.ts";
import { createTurnMetrics } from "./turns.ts";

export interface Metrics {
  /** Where requests and turns are told of. */
  readonly telemetry: Telemetry;
  /** Where the store tells of its work. */
  readonly store: StoreTelemetry;
  /** The same log, its lines counted. */
  countLines(log: Log): Log;
  /** The page of all that was told, with what is asked for when somebody looks. */
  page(sources: MetricsSources): MetricsPage;
}

export interface MetricsSources {
  readonly occupancy: () => Occupancy;
  readonly limits: Pick<ServiceLimits, "concurrent_turns" | "queued_turns">;
  /** The embedded store's file. */
  readonly databasePath: string;
}

const EXPOSITION_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Starts counting. */
export function createMetrics(clock: Clock): Metrics {
  const requests = createRequestMetrics(clock);
  const turns = createTurnMetrics(clock);
  const store = createStoreMetrics();
  const log = createLogMetrics();
  return {
    telemetry: {
      requestStarted: requests.requestStarted,
      requestUnparsed: requests.requestUnparsed,
      turnStarted: turns.turnStarted,
    },
    store,
    countLines: log.countLines,
    page({ occupancy, limits, databasePath }) {
      const families = [
        ...requests.families,
        ...turns.families,
        ...createOccupancyGauges(occupancy, limits),
        ...store.families,
        createStoreFileGauge(databasePath),
        ...log.families,
      ];
      const processMetrics = createProcessMetrics();
      return {
        contentType: EXPOSITION_CONTENT_TYPE,
        render: async () => (await expose(families)) + (await processMetrics()),
      };
    },
  };
}
