// Metrics of what housekeeping deletes.
import Counter from "prom-client/lib/counter.js";
import type Registry from "prom-client/lib/registry.js";
import type { Telemetry } from "../../ports/telemetry.ts";

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
