// Log lines by event: each recovery and each fault of the service logs one, so this counts them.
import Counter from "prom-client/lib/counter.js";
import type Registry from "prom-client/lib/registry.js";
import type { Log } from "../../ports/log.ts";

/** Returns a function that wraps a log so that its lines are counted; debug lines are not. */
export function createLineCounter(registry: Registry): (log: Log) => Log {
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
