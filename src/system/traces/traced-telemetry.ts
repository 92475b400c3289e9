// Telemetry that also makes spans. The context of a request travels with its work by the SDK's own means: a turn that was begun within
// keeps it, though its run goes on after the request has been answered.
import { context, propagation, trace } from "@opentelemetry/api";
import type { ObservedRequest, ObservedTurn, RequestStart, Telemetry } from "../../ports/telemetry.ts";
import { openProviderSpan } from "./provider-span.ts";
import { endServerSpan, openServerSpan } from "./server-span.ts";

/** The name under which the spans are made. */
const INSTRUMENTATION = "turngate";

export function createTracedTelemetry(telemetry: Telemetry, providerNames: ReadonlyMap<string, string>): Telemetry {
  const tracer = trace.getTracer(INSTRUMENTATION);
  return {
    requestStarted(start): ObservedRequest {
      const counted = telemetry.requestStarted(start);
      const parent = parentOf(start);
      const span = openServerSpan(tracer, start, parent);
      const own = trace.setSpan(parent, span);
      return {
        during: (work) => context.with(own, () => counted.during(work)),
        ended(end) {
          counted.ended(end);
          endServerSpan(span, end);
        },
      };
    },
    requestUnparsed: telemetry.requestUnparsed,
    turnStarted(start): ObservedTurn {
      const counted = telemetry.turnStarted(start);
      const begunIn = context.active();
      trace.getSpan(begunIn)?.setAttribute("turngate.response.id", start.responseId);
      const call = openProviderSpan(tracer, start, providerNames.get(start.provider) ?? start.provider, begunIn);
      return {
        asking: (ask) => call.during(() => counted.asking(ask)),
        output() {
          counted.output();
          call.output();
        },
        ended(report) {
          counted.ended(report);
          call.end(report);
        },
      };
    },
  };
}

/** What a request belongs to: a span that an instrumentation of Node's server has opened already, else what its headers name. */
function parentOf({ request }: RequestStart) {
  const active = context.active();
  return trace.getSpan(active) === undefined ? propagation.extract(active, request.headers) : active;
}
