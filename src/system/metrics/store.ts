// Metrics of the store: its calls, its files, what housekeeping deletes, and the newest events in its feed.
import { stat } from "node:fs/promises";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";
import { HOUR_MS } from "../../base/time.ts";
import { EVENT_TYPES } from "../../contract/manage/event-types.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EventStore } from "../../ports/store/events.ts";
import type { StoreSide, StoreTelemetry, Telemetry } from "../../ports/telemetry.ts";
import { createCounter, createHistogram } from "./series.ts";

/** From a read of one row to a disk that stalls, seconds. */
const DURATION_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Up to the largest group. */
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function createStoreTelemetry(registry: Registry): StoreTelemetry {
  const calls = createCounter({
    name: "turngate_store_calls_total",
    help: "Completed calls to the store.",
    labelNames: ["operation", "outcome"],
    registry,
  });
  const callDuration = createHistogram({
    name: "turngate_store_call_duration_seconds",
    help: "From a call to the store to its result, waiting included.",
    labelNames: ["side"],
    buckets: DURATION_BUCKETS,
    registry,
  });
  const groupDuration = createHistogram({
    name: "turngate_store_group_duration_seconds",
    help: "One group of calls in the store's thread: for writes a transaction with its commit to disk.",
    labelNames: ["side"],
    buckets: DURATION_BUCKETS,
    registry,
  });
  const groupSize = createHistogram({
    name: "turngate_store_group_calls",
    help: "Calls that shared one transaction.",
    labelNames: ["side"],
    buckets: SIZE_BUCKETS,
    registry,
  });
  const waiting = new Map<StoreSide, () => number>();
  const waitingCalls: Gauge<"side"> = new Gauge({
    name: "turngate_store_waiting_calls",
    help: "Calls that wait for their result.",
    labelNames: ["side"],
    registers: [registry],
    collect() {
      for (const [side, count] of waiting) waitingCalls.set({ side }, count());
    },
  });
  return {
    side: (side) => ({
      callEnded(procedure, outcome, milliseconds) {
        calls([procedure, outcome]);
        callDuration([side], milliseconds / 1000);
      },
      groupRun(size, milliseconds) {
        groupSize([side], size);
        groupDuration([side], milliseconds / 1000);
      },
      watchWaiting: (count) => void waiting.set(side, count),
    }),
  };
}

/** Counts what housekeeping deletes. */
export function createDeletionTelemetry(registry: Registry): Pick<Telemetry, "contentDeleted"> {
  const histories = new Counter({
    name: "turngate_histories_expired_total",
    help: "Histories deleted because their retention was over.",
    registers: [registry],
  });
  const rows = new Counter({
    name: "turngate_content_rows_erased_total",
    help: "Rows of deleted content that were erased.",
    registers: [registry],
  });
  return {
    contentDeleted({ histories: expired, erasedRows }) {
      histories.inc(expired);
      rows.inc(erasedRows);
    },
  };
}

/** Adds a gauge of the database file at `path` and of its journal. A missing file counts as 0 bytes. */
export function addStoreFileGauge(registry: Registry, path: string): void {
  const gauge: Gauge<"file"> = new Gauge({
    name: "turngate_store_file_bytes",
    help: "Size of the embedded store's files.",
    labelNames: ["file"],
    registers: [registry],
    async collect() {
      gauge.set({ file: "database" }, await sizeOf(path));
      gauge.set({ file: "journal" }, await sizeOf(`${path}-wal`));
    },
  });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/** The events that are counted: those of the last hour, and no more than so many. */
const COUNTED = { lastMs: HOUR_MS, readsMax: 10_000 };
/** Scrapes within this time share one read of the store, milliseconds: a scraper may ask as often as it likes. */
const SHOWN_MS = 5000;
/** How long a scrape waits for the store, milliseconds: less than the parent of several processes waits for a page. */
const WAIT_MS = 1000;

/**
 * What scrapes read of the store. Null if it is out of reach or needs too long; a later scrape then gets what was read.
 */
export function readForScrapes<Found>(read: () => Promise<Found>, clock: Clock): () => Promise<Found | null> {
  let found: Promise<Found | null> = Promise.resolve(null);
  let readAgainFromMs = 0;
  return () => {
    if (clock.monotonicMs() >= readAgainFromMs) {
      // A store that needs long is not asked a second time meanwhile.
      readAgainFromMs = Infinity;
      found = read()
        .catch(() => null)
        .finally(() => (readAgainFromMs = clock.monotonicMs() + SHOWN_MS));
    }
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const stopTimer = clock.after(WAIT_MS, () => resolve(null));
    return Promise.race([found, late]).finally(stopTimer);
  };
}

/** Adds a gauge of the events by type. It has no samples while the store gives no count. */
export function addEventGauge(registry: Registry, store: Pick<EventStore, "countEvents">, clock: Clock): void {
  const readCounts = readForScrapes(() => store.countEvents(COUNTED), clock);
  const gauge: Gauge<"type"> = new Gauge({
    name: "turngate_events_last_hour",
    help: "Events of the last hour in the feed of the store, the same on every node.",
    labelNames: ["type"],
    registers: [registry],
    async collect() {
      const found = await readCounts();
      gauge.reset();
      if (found === null) return;
      for (const type of EVENT_TYPES) gauge.set({ type }, 0);
      for (const { type, events } of found) gauge.set({ type }, events);
    },
  });
}
