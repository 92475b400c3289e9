// The client span of a response's provider calls, retries included, by OpenTelemetry's GenAI conventions.
import { type Context, context, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import type { ResponseReport, ResponseStart, TargetCall } from "../../ports/telemetry.ts";
import { isError, requestAttributes, responseAttributes } from "./response-attributes.ts";

export interface ProviderSpan {
  /** Starts the span, runs the work within it and records when it ended. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Reports a call of a target: the span is that of the last one, and has an event for each that failed. */
  targetCalled(call: TargetCall, providerName: string): void;
  /** Reports output; the first call counts. */
  output(): void;
  /** Ends the span as of the end of the work; does nothing if the provider was never called. */
  end(report: ResponseReport): void;
}

/** Creates the span of a response; it starts with the provider call. */
export function openProviderSpan(
  tracer: Tracer,
  response: ResponseStart,
  providerName: string,
  begunIn: Context,
): ProviderSpan {
  let span: Span | null = null;
  let startedMs = 0;
  let doneMs: number | undefined;
  let hasOutput = false;
  return {
    async during(work) {
      const attributes = requestAttributes(response, providerName);
      startedMs = performance.now();
      span = tracer.startSpan(
        nameOf(response.upstreamModel),
        { kind: SpanKind.CLIENT, attributes, startTime: startedMs },
        begunIn,
      );
      try {
        return await context.with(trace.setSpan(begunIn, span), work);
      } finally {
        doneMs = performance.now();
      }
    },
    targetCalled({ target, upstreamModel, code, status }, asked) {
      span?.updateName(nameOf(upstreamModel));
      span?.setAttributes({
        "gen_ai.provider.name": asked,
        "gen_ai.request.model": upstreamModel,
        "turngate.target": target,
      });
      if (code === null) return;
      span?.addEvent("turngate.target.failed", {
        "turngate.target": target,
        "error.type": code,
        ...(status === null ? {} : { "http.response.status_code": status }),
      });
    },
    output() {
      if (hasOutput || span === null) return;
      hasOutput = true;
      span.setAttribute("gen_ai.response.time_to_first_chunk", (performance.now() - startedMs) / 1000);
    },
    end(report) {
      if (span === null) return;
      span.setAttributes(responseAttributes(report));
      if (isError(report)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(doneMs);
    },
  };
}

function nameOf(upstreamModel: string): string {
  return `chat ${upstreamModel}`;
}
