// Recent events of the feed by type, read from the store when the metrics are scraped.
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";
import { EVENT_TYPES } from "../../contract/manage/event-types.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EventCount, EventStore } from "../../ports/store/events.ts";

/** The events that are counted: those of the last hour, and no more than so many. */
const COUNTED = { lastMs: 3_600_000, readsMax: 10_000 };
/** How long a count is shown before the store is asked again, milliseconds: anyone may scrape often. */
const SHOWN_MS = 5000;
/** How long a scrape waits for the store, milliseconds: less than the parent of several processes waits for a page. */
const WAIT_MS = 1000;

/** Adds a gauge of the events by type. It has no samples while the store gives no count. */
export function addEventGauge(registry: Registry, store: Pick<EventStore, "countEvents">, clock: Clock): void {
  let counts: Promise<readonly EventCount[] | null> = Promise.resolve(null);
  let readAgainFromMs = 0;

  /** Null if the store is out of reach or needs too long; a later scrape then shows its count. */
  const readCounts = (): Promise<readonly EventCount[] | null> => {
    if (clock.monotonicMs() >= readAgainFromMs) {
      // A store that needs long is not asked a second time meanwhile.
      readAgainFromMs = Infinity;
      counts = store
        .countEvents(COUNTED)
        .catch(() => null)
        .finally(() => (readAgainFromMs = clock.monotonicMs() + SHOWN_MS));
    }
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const stopTimer = clock.after(WAIT_MS, () => resolve(null));
    return Promise.race([counts, late]).finally(stopTimer);
  };

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
