// Contract: one response in the log, with its record, its notes and its transfers.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseStatus } from "../../../src/contract/statuses.ts";
import { TESTS } from "../../support/actor.ts";
import { ACME, answers, beginOf, endOf, headOf, runResponse, says, settleOf, START_MS, usage } from "../fixtures.ts";
import { describeStore } from "./suite.ts";
import { addMember, FAILURE, RECORD, START } from "./response-log-fixtures.ts";

const ATTEMPT = {
  target: "near/m",
  code: "provider_overloaded",
  provider_status: 503,
  provider_request_id: null,
  started_ms: 1,
  duration_ms: 2,
} as const;

export const testResponseLogDetails = describeStore("one turn in the log", (suite) => {
  const find = (responseId: string, organizationId = ACME.organizationId, memberId: string | null = null) =>
    suite.store.findResponse({ organizationId, memberId, responseId });

  test("a response has its run's record, notes, prices and hold; no content", async () => {
    const warning = { code: "truncated", message: "a text of the client's", param: "input" };
    const head = headOf({ warnings: [{ ...warning, code: "ignored" }] });
    const prices = JSON.stringify({
      input: 1_000_000,
      cached_input: 1_000_000,
      cache_write: 1_000_000,
      output: 2_000_000,
      tiers: [],
    });
    await suite.store.addCredits({
      by: TESTS,
      transactionId: "txn_log",
      organizationId: "org_acme",
      amountNano: 1_000_000_000n,
      createdAt: 1,
    });
    assert.equal(
      (await suite.store.beginResponse(beginOf(head, { funds: { prices, holdNano: 5000n } }))).kind,
      "begun",
    );
    const running = await find(head.id);
    const [hold] = running?.transfers ?? [];
    assert.deepEqual([running?.status, hold?.amountNano, running?.attempts], ["in_progress", 5000n, null]);
    const end = endOf([answers("a")], {
      status: "incomplete",
      incompleteReason: "max_output_tokens",
      toolCallsDropped: 2,
      warnings: [warning],
      ranAt: { target: "far/m", startedMs: 90, attempts: [ATTEMPT], reasoning: null },
    });
    await suite.store.settleResponse({ ...settleOf(head.id, [says("q")], end), record: RECORD });
    const found = await find(head.id);
    const chargedNano = found?.chargedNano ?? 0n;
    assert.ok(chargedNano > 0n && chargedNano < 5000n);
    const transfers = [
      { kind: "hold", from: "credits", to: "held", amountNano: 5000n },
      { kind: "settle", from: "held", to: "charged", amountNano: chargedNano },
      { kind: "release", from: "held", to: "credits", amountNano: 5000n - chargedNano },
    ];
    const times = [START, START + 1, START + 1];
    assert.deepEqual(
      found?.transfers.map((transfer) => ({ ...transfer, id: 0 })),
      transfers.map((transfer, at) => ({
        ...transfer,
        id: 0,
        transactionId: null,
        responseId: head.id,
        createdAt: times[at],
      })),
    );
    assert.deepEqual(
      { ...found, chargedNano: null, transfers: [] },
      {
        id: head.id,
        status: "incomplete" satisfies ResponseStatus,
        model: "acme/small",
        keyId: ACME.keyId,
        keyName: ACME.keyId,
        memberId: null,
        memberEmail: null,
        endUser: null,
        label: null,
        requestId: `req_of_${head.id}`,
        conversationId: null,
        createdAt: START,
        completedAt: START + 1,
        failureCode: null,
        firstOutputMs: 40,
        durationMs: 500,
        usage: usage(10, 20),
        chargedNano: null,
        queueMs: 3,
        previousResponseId: null,
        turnId: head.id,
        attempts: 2,
        providerStatus: 200,
        providerRequestId: "req_provider",
        target: "far/m",
        targetStartedMs: 90,
        failedAttempts: [ATTEMPT],
        incompleteReason: "max_output_tokens",
        toolCallsDropped: 2,
        warnings: [
          { code: "ignored", param: "input" },
          { code: "truncated", param: "input" },
        ],
        prices: JSON.parse(prices) as unknown,
        deletedAtMs: null,
        failureMessage: null,
        transfers: [],
      },
    );
    const page = (only: "topup" | null, before: number | null, limit: number, readsMax: number) =>
      suite.store.listTransfers({ organizationId: "org_acme", only, before, limit, readsMax });
    const ledger = async (only: "topup" | null, before: number | null = null, limit = 10) =>
      (await page(only, before, limit, 1000)).transfers;
    const all = await ledger(null);
    assert.deepEqual(
      all.map(({ kind }) => kind),
      ["release", "settle", "hold", "topup"],
    );
    assert.deepEqual(await ledger(null, all[1]?.id, 1), [all[2]]);
    const [topUp, ...rest] = await ledger("topup");
    assert.deepEqual([topUp, rest], [all[3], []]);
    assert.deepEqual(topUp, { ...topUp, transactionId: "txn_log", responseId: null, amountNano: 1_000_000_000n });
    const read: number[] = [];
    for (let before: number | null = null, pages = 0; ; pages++) {
      const { transfers: some, next } = await page(null, before, 2, 3);
      read.push(...some.map(({ id }) => id));
      if (next === null) break;
      before = next;
      assert.ok(pages < 10, "the pages end");
    }
    assert.deepEqual(
      read,
      all.map(({ id }) => id),
    );
    const others = { organizationId: "org_other", only: null, before: null, limit: 10, readsMax: 2 };
    assert.deepEqual((await suite.store.listTransfers(others)).transfers, []);
  });

  test("a listed key has the time of its last response", async () => {
    const [caller] = await addMember(suite, "mem_use", ["key_use"]);
    const lastUse = async () =>
      (await suite.store.listKeys({ organizationId: "org_acme" })).find(({ id }) => id === "key_use")?.lastUsedAt;
    assert.equal(await lastUse(), null);
    for (const second of [7, 9]) {
      await suite.store.beginResponse(beginOf(headOf({ createdAt: START + second }), { caller: caller! }));
      assert.equal(await lastUse(), START + second);
    }
  });

  test("a response of another organization, of another member's key, or none is not found", async () => {
    const [caller] = await addMember(suite, "mem_one", ["key_one"]);
    const { id } = await runResponse(suite.store, { begin: { caller: caller! } });
    assert.equal((await find(id, "org_acme", "mem_one"))?.memberEmail, "mem_one@acme.test");
    assert.equal(await find(id, "org_acme", "mem_two"), null);
    assert.equal(await find(id, "org_other"), null);
    assert.equal(await find("resp_missing"), null);
  });

  test("a failure has the message of its response, unless the provider's words may quote the request", async () => {
    const own = await runResponse(suite.store, { end: FAILURE });
    assert.equal((await find(own.id))?.failureMessage, FAILURE.error?.message);
    const error = { code: "provider_client_error", message: "The provider rejected the request: Hello" } as const;
    const quoting = await runResponse(suite.store, { end: { ...FAILURE, error } });
    const found = await find(quoting.id);
    assert.deepEqual([found?.failureCode, found?.failureMessage], ["provider_client_error", null]);
  });

  test("a deleted response stays in the log, and so does its failure when its content is erased", async () => {
    const { id } = await runResponse(suite.store, { end: FAILURE });
    await suite.store.deleteResponse({ caller: ACME, responseId: id });
    assert.equal((await find(id))?.deletedAtMs, START_MS);
    while ((await suite.store.eraseDeleted({ olderThanDays: 0, batch: 100, mayBlockWrites: false })).more);
    const erased = await find(id);
    assert.deepEqual(
      [erased?.status, erased?.failureCode, erased?.failureMessage, erased?.warnings],
      ["failed", "provider_error", null, []],
    );
  });
});
