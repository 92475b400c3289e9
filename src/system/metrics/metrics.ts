// All metrics of the service and the page that shows them. Names and meanings: docs/observability.md.
import Counter from "prom-client/lib/counter.js";
import Registry from "prom-client/lib/registry.js";
import type { ServiceLimits } from "../../contract/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { AccountStore } from "../../ports/store/accounts.ts";
import type { EventStore } from "../../ports/store/events.ts";
import type { MetricsPage, Occupancy, StoreTelemetry, Telemetry } from "../../ports/telemetry.ts";
import { type ContentExportTelemetry, createContentExportTelemetry } from "./content-export.ts";
import { addOrganizationNames, createOrganizationMetrics, type OrganizationMetrics } from "./organizations.ts";
import { SAMPLE_MS } from "../load.ts";
import { addEventGauge, addStoreFileGauge, createDeletionTelemetry, createStoreTelemetry } from "./store.ts";
import {
  addOccupancyGauges,
  addTargetGauge,
  type TargetStates,
  createRequestTelemetry,
  createResponseTelemetry,
} from "./traffic.ts";

export interface Metrics {
  readonly telemetry: Telemetry;
  readonly store: StoreTelemetry;
  readonly contentExport: ContentExportTelemetry;
  /** Counts by organization too, from now on. */
  countOrganizations(): OrganizationMetrics;
  /** Wraps a log so that its lines are counted. */
  countLines(log: Log): Log;
  /** The page of all metrics; what `sources` give is read at each scrape. */
  page(sources: MetricsSources): MetricsPage;
}

export interface MetricsSources {
  readonly occupancy: () => Occupancy;
  readonly limits: Pick<ServiceLimits, "concurrent_turns" | "queued_turns">;
  /** The names of the targets of all models. */
  readonly targets: () => readonly string[];
  readonly circuits: TargetStates;
  readonly store: Pick<EventStore, "countEvents"> & Pick<AccountStore, "listOrganizations">;
  /** Null: nothing is counted by organization. */
  readonly organizations: OrganizationMetrics | null;
  /** The embedded store's file; null on another engine. */
  readonly storeFile: string | null;
}

/** Starts counting. */
export function createMetrics(clock: Clock): Metrics {
  const registry = new Registry();
  const telemetry = {
    ...createRequestTelemetry(registry, clock),
    ...createResponseTelemetry(registry, clock),
    ...createDeletionTelemetry(registry),
  };
  return {
    telemetry,
    countOrganizations: () => createOrganizationMetrics(registry, telemetry),
    store: createStoreTelemetry(registry),
    contentExport: createContentExportTelemetry(registry),
    countLines: createLineCounter(registry),
    page({ occupancy, limits, targets, circuits, store, organizations, storeFile }) {
      const gauges = new Registry();
      addOccupancyGauges(gauges, occupancy, limits);
      addTargetGauge(gauges, { targets, circuits });
      addEventGauge(gauges, store, clock);
      if (organizations !== null) addOrganizationNames(gauges, organizations, { store, clock });
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

/** Returns a function that wraps a log so that its lines are counted by event; debug lines are not. */
function createLineCounter(registry: Registry): (log: Log) => Log {
  const lines = new Counter({
    name: "turngate_log_lines_total",
    help: "Lines logged, whether or not LOG_LEVEL lets them out.",
    labelNames: ["level", "event"],
    registers: [registry],
  });
  return (log) => ({
    debug: log.debug,
    info(event, fields) {
      lines.inc({ level: "info", event });
      log.info(event, fields);
    },
    warn(event, fields, error) {
      lines.inc({ level: "warn", event });
      log.warn(event, fields, error);
    },
    error(event, fields, error) {
      lines.inc({ level: "error", event });
      log.error(event, fields, error);
    },
  });
}

/**
 * Adds prom-client's default metrics: CPU, memory, file descriptors, garbage collection, the event loop's lag. They are
 * loaded by the first scrape, since they would cost every start 15 ms: garbage collections and the event loop are
 * observed from then on.
 */
async function addProcessMetrics(registry: Registry): Promise<void> {
  const { default: collectDefaultMetrics } = await import("prom-client/lib/defaultMetrics.js");
  // The same sampling interval as the load meter, which sheds load.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SAMPLE_MS });
}
