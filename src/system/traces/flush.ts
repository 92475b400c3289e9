// Flushes the SDK's buffered spans before the process exits.
import { setTimeout as wait } from "node:timers/promises";
import { trace } from "@opentelemetry/api";

/** Time limit, milliseconds: an unreachable collector must not delay the exit. */
const FLUSH_MS = 3000;

/** Resolves when the SDK has sent its spans, failed, or timed out; at once if it cannot flush. */
export async function flushSpans(milliseconds = FLUSH_MS): Promise<void> {
  const registered: object & { readonly getDelegate?: () => object } = trace.getTracerProvider();
  // Not by its class: an SDK beside the npm package has a copy of the API of its own.
  const provider = registered.getDelegate?.() ?? registered;
  if (!("forceFlush" in provider) || typeof provider.forceFlush !== "function") return;
  const over = new AbortController();
  const tooLong = wait(milliseconds, undefined, { signal: over.signal });
  // The SDK's own diagnostics report a failure.
  await Promise.allSettled([Promise.race([provider.forceFlush(), tooLong])]);
  over.abort();
  await Promise.allSettled([tooLong]);
}
