// Requests: how many, how they were answered, how long it took.
import type { Clock } from "../../ports/clock.ts";
import type { ObservedRequest, RequestEnd, RequestStart, Telemetry } from "../../ports/telemetry.ts";
import { createCounter } from "./counter.ts";
import { createHistogram } from "./histogram.ts";
import type { MetricFamily } from "./sample.ts";

/** From a read of a row to the longest wait (90 s) and the longest stream (300 s). */
const DURATION_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90, 180, 300];

/** The status of a request whose client left before it had come. */
const NO_STATUS = "none";

export interface RequestMetrics extends Pick<Telemetry, "requestStarted" | "requestUnparsed"> {
  readonly families: readonly MetricFamily[];
}

export function createRequestMetrics(clock: Clock): RequestMetrics {
  const answered = createCounter("turngate_requests_total", "Requests answered.", ["operation", "status"]);
  const refused = createCounter("turngate_refusals_total", "Requests answered with an error, by its code.", [
    "operation",
    "code",
  ]);
  const duration = createHistogram(
    "turngate_request_duration_seconds",
    "From a request's head to the end of its answer; a stream's is its end.",
    ["operation", "stream"],
    DURATION_BOUNDS,
  );

  function count(operation: string, status: number | null, code: string | null): void {
    answered.add(1, operation, status === null ? NO_STATUS : String(status));
    if (code !== null) refused.add(1, operation, code);
  }

  return {
    families: [answered, refused, duration],
    requestStarted({ operation }: RequestStart): ObservedRequest {
      const startedMs = clock.monotonicMs();
      return {
        during: (work) => work(),
        ended({ status, code, isStream }: RequestEnd) {
          count(operation, status, code);
          if (status !== null) duration.observe((clock.monotonicMs() - startedMs) / 1000, operation, String(isStream));
        },
      };
    },
    requestUnparsed: (status, code) => count("unparsed", status, code),
  };
}
