import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { FailureCode } from "../../contract/failures.ts";
import type { ModelSet } from "../../ports/model-set.ts";
import type { ProviderReport } from "../../ports/store/events.ts";
import { judge, startProviderWatch } from "./provider-watch.ts";

const health = (calls: number, failures: number, code: FailureCode = "provider_unavailable") => ({
  lastSuccessAtMs: null,
  lastFailure: null,
  calls,
  failures: failures === 0 ? [] : [{ code, count: failures }],
});

test("a provider fails when half of its calls do, and has recovered when few do", () => {
  for (const [calls, failures, isFailing] of [
    [0, 0, null],
    [1, 0, false],
    [2, 2, null],
    [3, 3, true],
    [10, 5, true],
    [10, 4, null],
    [10, 2, null],
    [10, 1, false],
  ] as const) {
    assert.equal(judge(health(calls, failures))?.isFailing ?? null, isFailing, `${failures} of ${calls}`);
  }
});

test("a failure that is the request's says nothing against the provider", () => {
  assert.equal(judge(health(5, 5, "provider_client_error"))?.isFailing, false);
});

test("a change is reported once, and again if the store did not take it", async () => {
  const clock = new FakeClock();
  const reports: ProviderReport[] = [];
  let current = health(4, 4);
  let fault: Error | null = new Error("the store is away");
  const stop = startProviderWatch({
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    modelSet: () => ({ catalog: { models: [{ provider: "a" }, { provider: "a" }] } }) as unknown as ModelSet,
    healthOf: () => current,
    store: {
      async reportProvider(report) {
        reports.push(report);
        if (fault !== null) throw fault;
      },
    },
  });
  const failing = { provider: "a", isFailing: true, calls: 4, failures: 4 };
  await clock.advance(15_000);
  assert.deepEqual(reports, [failing]);
  fault = null;
  await clock.advance(15_000);
  await clock.advance(15_000);
  assert.deepEqual(reports, [failing, failing]);
  current = health(4, 0);
  await clock.advance(15_000);
  await clock.advance(15_000);
  assert.deepEqual(reports.slice(2), [{ provider: "a", isFailing: false, calls: 4, failures: 0 }]);
  await stop();
});
