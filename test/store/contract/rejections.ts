// Contract: rejected requests, found by their id, within bounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/base/time.ts";
import { REJECTIONS_KEPT_DAYS, REJECTIONS_KEPT_MAX } from "../../../src/contract/manage/limits.ts";
import type { Rejection } from "../../../src/ports/store/rejections.ts";
import { TESTS } from "../../support/actor.ts";
import { organizationOf } from "./hold-fixtures.ts";
import { describeStore } from "./suite.ts";

export const testRejections = describeStore("rejected requests", (suite) => {
  const rejection = (caller: { organizationId: string; keyId: string }, requestId: string): Rejection => ({
    ...caller,
    requestId,
    atMs: suite.clock.nowMs(),
    operation: "createResponse",
    model: "acme/small",
    status: 429,
    code: "scope_budget_exceeded",
    param: null,
    message: "spent",
    skipped: 3,
    provider: "acme",
    providerStatus: 503,
    providerRequestId: "req_of_provider",
  });
  const list = async (organizationId: string, memberId: string | null = null, limit = 100) =>
    (await suite.store.listRejections({ organizationId, memberId, before: null, limit })).map(
      ({ requestId }) => requestId,
    );

  test("one is found by its id, in its organization and by the owner of its key", async () => {
    const { store } = suite;
    const [one, other] = [await organizationOf(suite, "found", 0n), await organizationOf(suite, "not-found", 0n)];
    const { organizationId } = one.caller;
    await store.keepRejections({
      rejections: [rejection(one.caller, "req_1"), rejection(other.caller, "req_2")],
      failures: [],
    });
    const find = (requestId: string, memberId: string | null = null) =>
      store.findRejection({ organizationId, memberId, requestId });
    const { id: _id, ...found } = (await find("req_1")) ?? assert.fail();
    assert.deepEqual(found, { ...rejection(one.caller, "req_1"), keyName: one.caller.keyId });
    assert.equal((await find("req_1", one.memberId))?.requestId, "req_1");
    assert.equal(await find("req_1", other.memberId), null);
    assert.equal(await find("req_2"), null);
    assert.deepEqual(await list(organizationId), ["req_1"]);
    assert.deepEqual(await list(organizationId, one.memberId), ["req_1"]);
    assert.deepEqual(await list(organizationId, other.memberId), []);
  });

  test("the newest of an organization are kept, page by page, for a few days", async () => {
    const { store, clock } = suite;
    const { caller } = await organizationOf(suite, "flooded", 0n);
    const other = (await organizationOf(suite, "calm", 0n)).caller;
    const { organizationId } = caller;
    await store.keepRejections({ rejections: [rejection(other, "req_calm")], failures: [] });
    for (let batch = 0; batch < 3; batch++) {
      const rejections = Array.from({ length: REJECTIONS_KEPT_MAX / 2 }, (__, index) =>
        rejection(caller, `req_${batch}_${index}`),
      );
      // oxlint-disable-next-line no-await-in-loop -- one batch after the other
      await store.keepRejections({ rejections, failures: [] });
    }
    const kept = await store.listRejections({ organizationId, memberId: null, before: null, limit: 5000 });
    assert.equal(kept.length, REJECTIONS_KEPT_MAX);
    assert.deepEqual([kept[0]?.requestId, kept.at(-1)?.requestId], ["req_2_999", "req_1_0"]);
    const older = { organizationId, memberId: null, before: { id: kept[1]?.id ?? 0, atMs: null }, limit: 1 };
    assert.equal((await store.listRejections(older))[0]?.requestId, kept[2]?.requestId);
    assert.deepEqual(await list(other.organizationId), ["req_calm"]);
    clock.advance(REJECTIONS_KEPT_DAYS * DAY_MS + 1);
    await store.keepRejections({ rejections: [rejection(caller, "req_new")], failures: [] });
    await store.forgetExpired({ retentionHours: 24, eventDays: 90 });
    assert.deepEqual(await list(organizationId), ["req_new"]);
    assert.deepEqual(await list(other.organizationId), []);
  });

  test("they are listed by time, in whatever order nodes write them, and pages cut the same list", async () => {
    const { store, clock } = suite;
    const { caller } = await organizationOf(suite, "of-two-nodes", 0n);
    const { organizationId } = caller;
    const startMs = clock.nowMs();
    for (const batch of [
      [40, 60, 61],
      [10, 50, 61],
    ]) {
      const rejections = batch.map((ms) => ({ ...rejection(caller, `req_at_${ms}`), atMs: startMs + ms }));
      // oxlint-disable-next-line no-await-in-loop -- one node after the other
      await store.keepRejections({ rejections, failures: [] });
    }
    const times: number[] = [];
    for (let before: { id: number; atMs: number | null } | null = null; ; ) {
      // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
      const [next] = await store.listRejections({ organizationId, memberId: null, before, limit: 1 });
      if (next === undefined) break;
      times.push(next.atMs - startMs);
      // By its id alone, or with its time.
      before = { id: next.id, atMs: times.length % 2 === 0 ? next.atMs : null };
    }
    assert.deepEqual(times, [61, 61, 60, 50, 40, 10]);
  });

  test("those of a deleted organization are erased", async () => {
    const { store } = suite;
    const { caller } = await organizationOf(suite, "gone", 0n);
    const { organizationId } = caller;
    await store.keepRejections({ rejections: [rejection(caller, "req_gone")], failures: [] });
    await store.deleteOrganization({ by: TESTS, organizationId });
    await store.eraseOrganization({ by: TESTS, organizationId, batch: 1000, mayBlockWrites: false });
    assert.deepEqual(await list(organizationId), []);
  });
});
