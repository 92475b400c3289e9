// What was logged, by its event: the recoveries and faults of the service, each of which has its line, as numbers.
import type { Log } from "../../ports/log.ts";
import { createCounter } from "./counter.ts";
import type { MetricFamily } from "./sample.ts";

export interface LogMetrics {
  readonly families: readonly MetricFamily[];
  /** The same log, its lines counted; those for debugging are not. */
  countLines(log: Log): Log;
}

export function createLogMetrics(): LogMetrics {
  const lines = createCounter("turngate_log_lines_total", "Lines logged, whether or not LOG_LEVEL lets them out.", [
    "level",
    "event",
  ]);
  return {
    families: [lines],
    countLines: (log) => ({
      debug: log.debug,
      info(event, fields) {
        lines.add(1, "info", event);
        log.info(event, fields);
      },
      warn(event, fields, error) {
        lines.add(1, "warn", event);
        log.warn(event, fields, error);
      },
      error(event, fields, error) {
        lines.add(1, "error", event);
        log.error(event, fields, error);
      },
    }),
  };
}
