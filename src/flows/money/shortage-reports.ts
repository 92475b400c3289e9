// Reports that turns are rejected or stopped for money: an event at the first one of a budget and period.
import { MINUTE_MS } from "../../base/time.ts";
import type { Services } from "../../ports/services.ts";
import type { EventStore } from "../../ports/store/events.ts";
import type { Shortage } from "../../ports/store/funds.ts";

/** Budgets and balances that were reported lately; when there are more, all are forgotten and may be asked for again. */
const REPORTED_MAX = 1000;

/** Reports the shortage that a turn of the organization was rejected or stopped for. Never rejects. */
export type ReportShortage = (organizationId: string, shortage: Shortage) => void;

interface ReportServices extends Pick<Services, "clock" | "log"> {
  readonly store: Pick<EventStore, "reportShortage">;
}

/** The store keeps one event of each; a minute bounds how often it is asked, whatever clients send. */
export function createShortageReports({ store, clock, log }: ReportServices): ReportShortage {
  const reportedAtMs = new Map<string, number>();
  return (organizationId, shortage) => {
    // The limit of a single response is no budget that is used up.
    if (shortage.kind === "budget" && shortage.scope === "response") return;
    const name = shortage.kind === "credits" ? "" : `${shortage.scope} ${shortage.id} ${shortage.period}`;
    const key = `${organizationId} ${name}`;
    const nowMs = clock.monotonicMs();
    const lastMs = reportedAtMs.get(key);
    if (lastMs !== undefined && nowMs - lastMs < MINUTE_MS) return;
    if (reportedAtMs.size >= REPORTED_MAX) reportedAtMs.clear();
    reportedAtMs.set(key, nowMs);
    store.reportShortage({ organizationId, shortage }).catch((error: unknown) => {
      reportedAtMs.delete(key);
      log.warn("shortage.unreported", { organization: organizationId }, error);
    });
  };
}
