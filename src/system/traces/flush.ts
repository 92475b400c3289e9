// Flushes the SDK's buffered spans before the process exits.
import { setTimeout as wait } from "node:timers/promises";
import { ProxyTracerProvider, trace } from "@opentelemetry/api";

/** Time limit, milliseconds: an unreachable collector must not delay the exit. */
const FLUSH_MILLISECONDS = 3000;

/** Resolves when the SDK has sent its spans, failed, or timed out; at once if it cannot flush. */
export async function flushSpans(milliseconds = FLUSH_MILLISECONDS): Promise<void> {
  const registered = trace.getTracerProvider();
  const provider = registered instanceof ProxyTracerProvider ? registered.getDelegate() : registered;
  if (!("forceFlush" in provider) || typeof provider.forceFlush !== "function") return;
  const over = new AbortController();
  const tooLong = wait(milliseconds, undefined, { signal: over.signal });
  // The SDK's own diagnostics report a failure.
  await Promise.allSettled([Promise.race([provider.forceFlush(), tooLong])]);
  over.abort();
  await Promise.allSettled([tooLong]);
}
