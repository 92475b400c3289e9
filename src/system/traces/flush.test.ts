import { type TracerProvider, trace } from "@opentelemetry/api";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { flushSpans } from "./flush.ts";

afterEach(() => trace.disable());

/** Registers an SDK that sends like that. */
function register(forceFlush?: () => Promise<void>): void {
  const provider: TracerProvider & { forceFlush?: () => Promise<void> } = {
    getTracer: (name) => trace.getTracer(name),
    ...(forceFlush === undefined ? {} : { forceFlush }),
  };
  trace.setGlobalTracerProvider(provider);
}

test("the SDK's spans are waited for", async () => {
  let sent = false;
  register(async () => {
    await Promise.resolve();
    sent = true;
  });
  await flushSpans();
  assert.equal(sent, true);
});

test("a collector that fails, hangs or is not flushed holds up nothing", async () => {
  register(() => Promise.reject(new Error("no collector")));
  await flushSpans();
  trace.disable();
  register(() => new Promise(() => {}));
  await flushSpans(1);
  trace.disable();
  register();
  await flushSpans();
});
