// Counts rejected creates by code and model, in memory that no client can exceed, until the next batch is written.
import { HOUR_MS } from "../../base/time.ts";
import { MODELS_COUNTED_MAX } from "../../contract/manage/failure-counts.ts";
import type { CountedFailures, FailureSeries } from "../../ports/store/failures.ts";

/** The most pairs of code and model that are counted by themselves in an hour, of all organizations; 100 bytes each. */
const NAMED_MAX = 20_000;

/** The failures that this process has counted since they were taken last. */
export interface FailureCounts {
  add(series: FailureSeries, nowMs: number): void;
  take(): readonly CountedFailures[];
}

/** Creates the counts of a process. */
export function createFailureCounts(): FailureCounts {
  let counts = new Map<string, CountedFailures>();
  let hour = 0;
  /** The pairs that are counted by themselves in this hour, and how many each organization has of them. */
  const named = new Set<string>();
  const pairs = new Map<string, number>();

  const mayName = (organizationId: string, name: string, nowMs: number): boolean => {
    const now = Math.floor(nowMs / HOUR_MS);
    if (now !== hour) {
      named.clear();
      pairs.clear();
      hour = now;
    }
    if (named.has(name)) return true;
    const known = pairs.get(organizationId) ?? 0;
    if (known >= MODELS_COUNTED_MAX || named.size >= NAMED_MAX) return false;
    named.add(name);
    pairs.set(organizationId, known + 1);
    return true;
  };
  return {
    add(series, nowMs) {
      const { organizationId, code } = series;
      const wanted = `${organizationId} ${code} ${series.model}`;
      const isNamed = series.model !== null && mayName(organizationId, wanted, nowMs);
      const name = isNamed ? wanted : `${organizationId} ${code}`;
      const failures = (counts.get(name)?.failures ?? 0) + 1;
      counts.set(name, { ...series, model: isNamed ? series.model : null, failures });
    },
    take() {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
  };
}
