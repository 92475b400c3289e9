// Telemetry that also creates spans. The SDK's context manager propagates a request's context to its response, and the
// response keeps it while it runs on after the reply.
import { context, propagation, trace } from "@opentelemetry/api";
import type { ObservedRequest, ObservedResponse, RequestStart, Telemetry } from "../../ports/telemetry.ts";
import { openProviderSpan } from "./provider-span.ts";
import { endServerSpan, openServerSpan } from "./server-span.ts";

/** The instrumentation scope of the spans. */
const INSTRUMENTATION = "turngate";

export function createTracedTelemetry(telemetry: Telemetry, genAiNameOf: (provider: string) => string): Telemetry {
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
    contentDeleted: telemetry.contentDeleted,
    createFailed: telemetry.createFailed,
    responseStarted(start): ObservedResponse {
      const counted = telemetry.responseStarted(start);
      const begunIn = context.active();
      trace.getSpan(begunIn)?.setAttribute("turngate.response.id", start.responseId);
      const call = openProviderSpan(tracer, start, genAiNameOf(start.provider), begunIn);
      return {
        providerCall: (run) => call.during(() => counted.providerCall(run)),
        targetCalled(asked) {
          counted.targetCalled(asked);
          call.targetCalled(asked, genAiNameOf(asked.provider));
        },
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

/**
 * The parent of a request's span: the span of an instrumentation of Node's server, else the one named in the headers.
 */
function parentOf({ request }: RequestStart) {
  const active = context.active();
  return trace.getSpan(active) === undefined ? propagation.extract(active, request.headers) : active;
}
