// Reports to the feed of events when a provider fails, and when it has recovered: judged by each node from its own
// calls, reported once over all nodes (EventStore.reportProvider).
import { PROVIDER_FAILURE_CODES } from "../../contract/failures.ts";
import { providersOf } from "../../core/models/catalog.ts";
import type { Services } from "../../ports/services.ts";
import type { EventStore } from "../../ports/store/events.ts";
import { repeat } from "../repeat.ts";
import type { ProviderHealth, ProviderObserver } from "./health.ts";

const EVERY_MS = 15_000;
/** Minutes that are judged, the current one included: short enough to notice an outage after hours of success. */
const WINDOW_MINUTES = 3;
/** One or two failed calls say little. */
const CALLS_MIN = 3;
/** A provider fails from this share of failed calls, and has recovered below the lower one. */
const FAILING_SHARE = 0.5;
const RECOVERED_SHARE = 0.2;

interface Verdict {
  readonly isFailing: boolean;
  readonly calls: number;
  readonly failures: number;
}

/** Judges a provider by its latest calls; null when they do not tell. */
export function judge({ calls, failures: byCode }: Pick<ProviderHealth, "calls" | "failures">): Verdict | null {
  const own = byCode.filter(({ code }) => PROVIDER_FAILURE_CODES.has(code));
  const failures = own.reduce((sum, { count }) => sum + count, 0);
  if (calls >= CALLS_MIN && failures >= calls * FAILING_SHARE) return { isFailing: true, calls, failures };
  return calls > 0 && failures < calls * RECOVERED_SHARE ? { isFailing: false, calls, failures } : null;
}

interface WatchServices extends Pick<Services, "clock" | "log" | "modelSet">, Pick<ProviderObserver, "healthOf"> {
  readonly store: Pick<EventStore, "reportProvider">;
}

/** Watches the providers of the catalog. The result stops it and resolves when it no longer uses the store. */
export function startProviderWatch({ store, clock, log, modelSet, healthOf }: WatchServices): () => Promise<void> {
  /** By provider: whether it fails, as this process has last reported. */
  const reported = new Map<string, boolean>();
  return repeat(clock, {
    everyMs: EVERY_MS,
    async work() {
      for (const provider of new Set(modelSet().catalog.models.flatMap(providersOf))) {
        const verdict = judge(healthOf(provider, WINDOW_MINUTES));
        if (verdict === null || verdict.isFailing === reported.get(provider)) continue;
        // oxlint-disable-next-line no-await-in-loop -- rare
        await store.reportProvider({ provider, ...verdict });
        reported.set(provider, verdict.isFailing);
      }
    },
    onError: (error) => log.warn("provider_watch.failed", {}, error),
  });
}
