// Traces for an operator's OpenTelemetry SDK: a server span per request, a client span for a response's provider calls.
// The service only uses the API, and loads it only if an SDK is registered. Attributes: docs/observability.md. Never
// content.
import type { Telemetry } from "../ports/telemetry.ts";

/** The global under which an SDK registers, shared by all copies of the API of one major version. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

/**
 * Adds traces to the telemetry if an SDK has already registered (`node --import`); otherwise returns it unchanged. The
 * tracing modules are loaded only with an SDK, since they would cost every start 40 ms.
 *
 * @param genAiNameOf the name of a configured provider in the GenAI conventions.
 */
export async function withTraces(telemetry: Telemetry, genAiNameOf: (provider: string) => string): Promise<Telemetry> {
  if (!hasSdk()) return telemetry;
  const { createTracedTelemetry } = await import("./traces/traced-telemetry.ts");
  return createTracedTelemetry(telemetry, genAiNameOf);
}

/** Makes the SDK, if there is one, send its buffered spans, since the process exits before its next batch. */
export async function flushTraces(): Promise<void> {
  if (!hasSdk()) return;
  const { flushSpans } = await import("./traces/flush.ts");
  await flushSpans();
}

function hasSdk(): boolean {
  const registered: unknown = Reflect.get(globalThis, REGISTRY);
  return typeof registered === "object" && registered !== null && "trace" in registered;
}
