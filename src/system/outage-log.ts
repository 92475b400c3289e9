// While the store is out of reach, every request fails for the same reason: a line of each event a second says it for
// all of them.
import type { Clock } from "../ports/clock.ts";
import type { Log, LogFields } from "../ports/log.ts";
import { StoreError } from "../ports/store/store.ts";

/** Time between two lines of one event, milliseconds. */
const INTERVAL_MS = 1000;

/**
 * Wraps a log. Of the lines of one event whose error is a store out of reach, the first is written as it is; those that
 * follow within a second are counted, and one line with their number, `repeated`, is written when it is over.
 */
export function summarizeOutages(log: Log, clock: Pick<Clock, "after">): Log {
  /** The lines that were left out since the last one of an event. */
  const repeated = new Map<string, number>();

  const watch = (write: (fields: LogFields) => void, event: string): void => {
    repeated.set(event, 0);
    clock.after(INTERVAL_MS, () => {
      const lines = repeated.get(event) ?? 0;
      if (lines > 0) {
        write({ repeated: lines });
        watch(write, event);
      } else repeated.delete(event);
    });
  };
  const summarized =
    (level: "warn" | "error") =>
    (event: string, fields?: LogFields, error?: unknown): void => {
      if (!(error instanceof StoreError) || error.kind !== "unavailable") return log[level](event, fields, error);
      const lines = repeated.get(event);
      if (lines !== undefined) return void repeated.set(event, lines + 1);
      log[level](event, fields, error);
      watch((counted) => log[level](event, counted), event);
    };
  return { ...log, warn: summarized("warn"), error: summarized("error") };
}
