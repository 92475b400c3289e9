// Request metrics: counts by status and error code, durations.
import Counter from "prom-client/lib/counter.js";
import Histogram from "prom-client/lib/histogram.js";
import type Registry from "prom-client/lib/registry.js";
import type { Clock } from "../../ports/clock.ts";
import type { ObservedRequest, RequestEnd, RequestStart, Telemetry } from "../../ports/telemetry.ts";

/** From a read of one row to the longest wait (90 s) and the longest stream (300 s), seconds. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90, 180, 300];

/** The `status` of a request whose body never arrived completely. */
const NO_STATUS = "none";

export function createRequestTelemetry(
  registry: Registry,
  clock: Clock,
): Pick<Telemetry, "requestStarted" | "requestUnparsed"> {
  const registers = [registry];
  const requests = new Counter({
    name: "turngate_requests_total",
    help: "Completed requests.",
    labelNames: ["operation", "status"],
    registers,
  });
  const errors = new Counter({
    name: "turngate_refusals_total",
    help: "Requests that got an error response, by its code.",
    labelNames: ["operation", "code"],
    registers,
  });
  const duration = new Histogram({
    name: "turngate_request_duration_seconds",
    help: "From a request's head to the end of its response or stream.",
    labelNames: ["operation", "stream"],
    buckets: DURATION_BUCKETS,
    registers,
  });

  function count(operation: string, status: number | null, code: string | null): void {
    requests.inc({ operation, status: status ?? NO_STATUS });
    if (code !== null) errors.inc({ operation, code });
  }

  return {
    requestStarted({ operation }: RequestStart): ObservedRequest {
      const startedMs = clock.monotonicMs();
      return {
        during: (work) => work(),
        ended({ status, code, isStream }: RequestEnd) {
          count(operation, status, code);
          if (status === null) return;
          duration.observe({ operation, stream: String(isStream) }, (clock.monotonicMs() - startedMs) / 1000);
        },
      };
    },
    requestUnparsed: (status, code) => count("unparsed", status, code),
  };
}
