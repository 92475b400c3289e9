// All metrics of the service and the page that shows them. Names and meanings: docs/observability.md.
import Registry from "prom-client/lib/registry.js";
import type { ServiceLimits } from "../../contract/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { EventStore } from "../../ports/store/events.ts";
import type { MetricsPage, Occupancy, StoreTelemetry, Telemetry } from "../../ports/telemetry.ts";
import { type ContentExportTelemetry, createContentExportTelemetry } from "./content-export.ts";
import { createDeletionTelemetry } from "./deletions.ts";
import { addEventGauge } from "./events.ts";
import { createLineCounter } from "./log.ts";
import { addOccupancyGauges } from "./occupancy.ts";
import { addProcessMetrics } from "./process-metrics.ts";
import { createRequestTelemetry } from "./requests.ts";
import { createStoreTelemetry } from "./store.ts";
import { addStoreFileGauge } from "./store-files.ts";
import { createTurnTelemetry } from "./turns.ts";

export interface Metrics {
  readonly telemetry: Telemetry;
  readonly store: StoreTelemetry;
  readonly contentExport: ContentExportTelemetry;
  /** Wraps a log so that its lines are counted. */
  countLines(log: Log): Log;
  /** The page of all metrics; what `sources` give is read at each scrape. */
  page(sources: MetricsSources): MetricsPage;
}

export interface MetricsSources {
  readonly occupancy: () => Occupancy;
  readonly limits: Pick<ServiceLimits, "concurrent_turns" | "queued_turns">;
  readonly store: Pick<EventStore, "countEvents">;
  /** The embedded store's file; null on another engine. */
  readonly storeFile: string | null;
}

/** Starts counting. */
export function createMetrics(clock: Clock): Metrics {
  const registry = new Registry();
  return {
    telemetry: {
      ...createRequestTelemetry(registry, clock),
      ...createTurnTelemetry(registry, clock),
      ...createDeletionTelemetry(registry),
    },
    store: createStoreTelemetry(registry),
    contentExport: createContentExportTelemetry(registry),
    countLines: createLineCounter(registry),
    page({ occupancy, limits, store, storeFile }) {
      const gauges = new Registry();
      addOccupancyGauges(gauges, occupancy, limits);
      addEventGauge(gauges, store, clock);
      if (storeFile !== null) addStoreFileGauge(gauges, storeFile);
      let processMetrics: Promise<void> | null = null;
      return {
        contentType: registry.contentType,
        async render() {
          await (processMetrics ??= addProcessMetrics(gauges));
          return (await registry.metrics()) + (await gauges.metrics());
        },
      };
    },
  };
}
