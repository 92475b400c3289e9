// The spans that an SDK still keeps when the process is about to end: it sends them in batches, and the end does not wait for the next.
import { setTimeout as wait } from "node:timers/promises";
import { ProxyTracerProvider, trace } from "@opentelemetry/api";

/** Most time for the last spans, milliseconds: a collector that is away must not hold up a stop. */
const FLUSH_MILLISECONDS = 3000;

/** Resolves when the SDK has sent what it kept, failed to, or took too long; at once where it keeps nothing. */
export async function flushSpans(milliseconds = FLUSH_MILLISECONDS): Promise<void> {
  const registered = trace.getTracerProvider();
  const provider = registered instanceof ProxyTracerProvider ? registered.getDelegate() : registered;
  if (!("forceFlush" in provider) || typeof provider.forceFlush !== "function") return;
  const over = new AbortController();
  const tooLong = wait(milliseconds, undefined, { signal: over.signal });
  // A failure is told by the SDK's own diagnostics.
  await Promise.allSettled([Promise.race([provider.forceFlush(), tooLong])]);
  over.abort();
  await Promise.allSettled([tooLong]);
}
