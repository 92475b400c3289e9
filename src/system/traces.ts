// Traces for an operator's OpenTelemetry SDK: a server span a request, a client span for what a turn asks of its provider. Only the API
// is ours; without an SDK not even that is loaded. What is told and what is not: docs/observability.md. No content, ever.
import type { Telemetry } from "../ports/telemetry.ts";

/** Where an SDK registers itself: the agreement between all copies of the API of one major version. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

/**
 * The same telemetry, with traces when an SDK has registered itself before this is called (`node --import`); else as it was. What makes
 * them is loaded only then: it would cost every start 40 ms.
 *
 * @param providerNames how the GenAI conventions call a configured provider, by its name here; one that is missing keeps its own.
 */
export async function withTraces(telemetry: Telemetry, providerNames: ReadonlyMap<string, string>): Promise<Telemetry> {
  if (!hasSdk()) return telemetry;
  const { createTracedTelemetry } = await import("./traces/traced-telemetry.ts");
  return createTracedTelemetry(telemetry, providerNames);
}

/** Has the SDK, when there is one, send the spans that it still keeps: the end of the process does not wait for its next batch. */
export async function flushTraces(): Promise<void> {
  if (!hasSdk()) return;
  const { flushSpans } = await import("./traces/flush.ts");
  await flushSpans();
}

function hasSdk(): boolean {
  const registered: unknown = Reflect.get(globalThis, REGISTRY);
  return typeof registered === "object" && registered !== null && "trace" in registered;
}
