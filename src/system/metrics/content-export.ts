// How many responses the content export has sent and lost.
import Counter from "prom-client/lib/counter.js";
import type Registry from "prom-client/lib/registry.js";

export interface ContentExportTelemetry {
  /** The collector has taken so many responses. */
  sent(responses: number): void;
  /** So many turns are dropped: the collector rejected them, or was out of reach for too long. */
  lost(responses: number): void;
}

export function createContentExportTelemetry(registry: Registry): ContentExportTelemetry {
  const registers = [registry];
  const sent = new Counter({
    name: "turngate_content_export_sent_turns_total",
    help: "Turns whose content the operator's collector has taken.",
    registers,
  });
  const lost = new Counter({
    name: "turngate_content_export_lost_turns_total",
    help: "Turns whose content was to be exported and was not.",
    registers,
  });
  return { sent: (responses) => sent.inc(responses), lost: (responses) => lost.inc(responses) };
}
