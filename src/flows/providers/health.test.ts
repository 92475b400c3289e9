import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../base/time.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fails, says, ScriptedProvider } from "../../../test/support/scripted-provider.ts";
import type { ProviderCall } from "../../ports/provider.ts";
import { createProviderObserver } from "./health.ts";

function observe() {
  const clock = new FakeClock();
  const provider = new ScriptedProvider();
  const { observe: observeCalls, healthOf } = createProviderObserver(clock);
  const providers = observeCalls(provider.registry);
  const call = async (name: string, signal = new AbortController().signal) => {
    const asked = { signal } as ProviderCall;
    await providers
      .get(name)
      .run(asked, () => {})
      .catch(() => {});
  };
  return { clock, provider, call, healthOf };
}

test("nothing is known of a provider that no response has called", () => {
  const { healthOf } = observe();
  assert.deepEqual(healthOf("a"), { lastSuccessAtMs: null, lastFailure: null, calls: 0, failures: [] });
});

test("successes and failures are counted for each provider by itself, and forgotten after the window", async () => {
  const { clock, provider, call, healthOf } = observe();
  const firstMs = clock.nowMs();
  provider.plays(says("ok"), [fails("provider_error", { status: 500, requestId: "req_1" })]);
  await call("a");
  await call("b");
  assert.deepEqual(healthOf("a"), { lastSuccessAtMs: firstMs, lastFailure: null, calls: 1, failures: [] });
  const lastFailure = { atMs: firstMs, code: "provider_error", status: 500, requestId: "req_1" };
  const failures = [{ code: "provider_error", count: 1 }];
  assert.deepEqual(healthOf("b"), { lastSuccessAtMs: null, lastFailure, calls: 1, failures });

  await clock.advance(14 * MINUTE_MS);
  provider.plays([fails("provider_overloaded")], [fails("provider_overloaded")], says("ok"));
  for (let times = 0; times < 3; times++) await call("b");
  assert.deepEqual(healthOf("b").failures, [{ code: "provider_overloaded", count: 2 }, ...failures]);
  assert.equal(healthOf("b").calls, 4);
  await clock.advance(MINUTE_MS);
  assert.deepEqual(healthOf("b").failures, [{ code: "provider_overloaded", count: 2 }]);
  await clock.advance(15 * MINUTE_MS);
  const later = healthOf("b");
  assert.deepEqual([later.calls, later.failures], [0, []]);
  assert.deepEqual([later.lastSuccessAtMs, later.lastFailure?.code], [firstMs + 14 * MINUTE_MS, "provider_overloaded"]);
});

test("a call that was aborted counts neither as a success nor as a failure", async () => {
  const { provider, call, healthOf } = observe();
  const abort = new AbortController();
  provider.plays([new Promise(() => {})]);
  const called = call("a", abort.signal);
  abort.abort();
  await called;
  assert.deepEqual(healthOf("a"), { lastSuccessAtMs: null, lastFailure: null, calls: 0, failures: [] });
});

test("a fault of our own is no failure of the provider", async () => {
  const { provider, call, healthOf } = observe();
  provider.plays([new Error("a bug")]);
  await call("a");
  assert.equal(healthOf("a").calls, 0);
});
