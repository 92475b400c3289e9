import { type TracerProvider, trace } from "@opentelemetry/api";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { flushSpans } from "./flush.ts";

/** Where every copy of the API looks for what is registered. */
const API = Symbol.for("opentelemetry.js.api.1");

afterEach(() => trace.disable());

/** Registers an SDK with the given `forceFlush`. */
function register(forceFlush?: () => Promise<void>): void {
  const provider: TracerProvider & { forceFlush?: () => Promise<void> } = {
    getTracer: (name) => trace.getTracer(name),
    ...(forceFlush === undefined ? {} : { forceFlush }),
  };
  trace.setGlobalTracerProvider(provider);
}

test("flushing waits for the SDK's spans", async () => {
  let sent = false;
  register(async () => {
    await Promise.resolve();
    sent = true;
  });
  await flushSpans();
  assert.equal(sent, true);
});

test("an SDK with a copy of the API of its own is flushed too", async () => {
  let sent = false;
  register();
  const foreign = { getDelegate: () => ({ forceFlush: async () => void (sent = true) }) };
  Reflect.set(globalThis, API, { ...Reflect.get(globalThis, API), trace: foreign });
  await flushSpans();
  assert.equal(sent, true);
});

test("an SDK that fails, hangs or cannot flush does not delay the exit", async () => {
  register(() => Promise.reject(new Error("no collector")));
  await flushSpans();
  trace.disable();
  register(() => new Promise(() => {}));
  await flushSpans(1);
  trace.disable();
  register();
  await flushSpans();
});
