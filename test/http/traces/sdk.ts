// An operator's SDK in this process: everything is recorded, nothing leaves.
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { until } from "../../support/until.ts";

export interface Sdk {
  /** The span of that name, once it has ended. */
  span(name: string): Promise<ReadableSpan>;
  /** Every span that has ended. */
  ended(): readonly ReadableSpan[];
  /** Unregisters it. */
  stop(): void;
}

/** Registers it, as `node --import` would. */
export function startSdk(): Sdk {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const find = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
  return {
    async span(name) {
      await until(`the span ${name}`, () => find(name) !== undefined);
      return find(name) as ReadableSpan;
    },
    ended: () => exporter.getFinishedSpans(),
    stop() {
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
