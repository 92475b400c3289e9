// Contract: failed creates, counted however their failure was delivered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/base/time.ts";
import { FAILURES_KEPT_DAYS } from "../../../src/contract/manage/failure-counts.ts";
import { ACME, beginOf, endOf, headOf, OTHER, runResponse, says, settleOf } from "../fixtures.ts";
import { FAILURE, RECORD } from "./response-log-fixtures.ts";
import { describeStore } from "./suite.ts";

export const testFailures = describeStore("failed creates", (suite) => {
  const hourNow = () => Math.floor(suite.clock.nowMs() / HOUR_MS);
  const sum = (over: object = {}) =>
    suite.store.sumFailures({
      organizationId: ACME.organizationId,
      from: hourNow(),
      to: hourNow(),
      by: ["kind", "code", "model", "provider"],
      limit: 100,
      ...over,
    });
  const end = async (ending: object, record: object = RECORD) => {
    const head = headOf();
    await suite.store.beginResponse(beginOf(head));
    const settle = settleOf(head.id, [says("q")], endOf([], ending));
    await suite.store.settleResponse({ ...settle, record: { ...RECORD, ...record } });
  };
  const rejected = {
    organizationId: ACME.organizationId,
    kind: "rejected",
    code: "invalid_input",
    provider: null,
  } as const;

  test("failed, withdrawn, rejected and cancelled ones add up, by what is asked for", async () => {
    const { store } = suite;
    const failure = {
      type: "provider",
      code: "provider_error",
      message: "",
      provider: "acme",
      provider_status: 500,
      provider_request_id: null,
      retryable: true,
    } as const;
    await end({ ...FAILURE, failure });
    await end({ ...FAILURE, failure });
    await end({ status: "failed", error: { code: "run_failed", message: "" } });
    await end({ status: "cancelled" }, { attempts: 0 });
    // Cancelled while it ran, and completed: no failures.
    await end({ status: "cancelled" });
    await runResponse(store);
    const withdrawn = headOf();
    await store.beginResponse(beginOf(withdrawn));
    await store.withdrawResponse({
      responseId: withdrawn.id,
      failure: { code: "provider_overloaded", model: "acme/small", provider: "acme" },
    });
    const unknown = headOf();
    await store.beginResponse(beginOf(unknown));
    await store.withdrawResponse({ responseId: unknown.id });
    const failures = [
      { ...rejected, model: "acme/small", failures: 5 },
      { ...rejected, model: null, failures: 2 },
    ];
    await store.keepRejections({ rejections: [], failures });
    await store.keepRejections({ rejections: [], failures });
    await store.keepRejections({
      rejections: [],
      failures: [{ ...failures[0]!, organizationId: OTHER.organizationId }],
    });

    const row = (
      kind: string,
      code: string,
      count: number,
      model: string | null = "acme/small",
      provider: string | null = null,
    ) => ({
      hour: null,
      kind,
      code,
      model,
      provider,
      failures: count,
    });
    assert.deepEqual(await sum(), [
      row("rejected", "invalid_input", 10),
      row("rejected", "invalid_input", 4, null),
      row("failed", "provider_error", 2, "acme/small", "acme"),
      row("cancelled", "canceled", 1),
      row("failed", "run_failed", 1),
      row("withdrawn", "provider_overloaded", 1, "acme/small", "acme"),
    ]);
    const none = { hour: null, kind: null, code: null, model: null, provider: null };
    assert.deepEqual(await sum({ by: ["provider"] }), [
      { ...none, failures: 16 },
      { ...none, provider: "acme", failures: 3 },
    ]);
    assert.deepEqual(await sum({ by: ["hour"] }), [{ ...none, hour: hourNow(), failures: 19 }]);
    assert.deepEqual(await sum({ organizationId: null, by: ["code"], limit: 1 }), [
      { ...none, code: "invalid_input", failures: 19 },
    ]);
    assert.deepEqual(await sum({ from: hourNow() + 1, to: hourNow() + 2 }), []);
  });

  test("sums are kept for a while", async () => {
    suite.clock.advance(HOUR_MS);
    const first = hourNow();
    await suite.store.keepRejections({ rejections: [], failures: [{ ...rejected, model: null, failures: 1 }] });
    const forget = () => suite.store.forgetExpired({ retentionHours: 24, eventDays: 90 });
    suite.clock.advance(FAILURES_KEPT_DAYS * DAY_MS);
    assert.ok((await forget()).failures > 0);
    assert.equal((await sum({ from: 0 })).length, 1);
    assert.equal((await sum({ from: first, to: first, by: ["kind"] }))[0]?.failures, 1);
    suite.clock.advance(HOUR_MS);
    assert.equal((await forget()).failures, 1);
    assert.deepEqual(await sum({ from: 0 }), []);
  });
});
