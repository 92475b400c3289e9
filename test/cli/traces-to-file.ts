// Loaded with `node --import`: an SDK that writes every span as a line to the file SPANS names, at once or, with
// SPANS_BATCH_MS, in batches.
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BatchSpanProcessor, SimpleSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";

const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, attributes, parentSpanContext } = span;
      const { traceId, spanId } = span.spanContext();
      const line = { name, traceId, spanId, parentSpanId: parentSpanContext?.spanId ?? null, attributes };
      appendFileSync(process.env["SPANS"] ?? "", `${JSON.stringify(line)}\n`);
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

if (isMainThread) {
  const batch = process.env["SPANS_BATCH_MS"];
  const processor =
    batch === undefined
      ? new SimpleSpanProcessor({ exporter })
      : new BatchSpanProcessor({ exporter, scheduledDelayMillis: Number(batch) });
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}
