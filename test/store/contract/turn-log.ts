// Contract: the log of turns, by page and one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseStatus } from "../../../src/contract/statuses.ts";
import type { LoggedTurn, LogPlace, TurnFilter } from "../../../src/ports/store/turn-log.ts";
import { TESTS } from "../../support/actor.ts";
import {
  ACME,
  ACME_OTHER_KEY,
  answers,
  beginOf,
  endOf,
  headOf,
  makeConversation,
  type OpenStore,
  OTHER,
  placeIn,
  runTurn,
  says,
  settleOf,
  START_MS,
  usage,
} from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";

const EVERY: Omit<TurnFilter, "organizationId"> = {
  keyId: null,
  memberId: null,
  model: null,
  status: null,
  failureCode: null,
  conversationId: null,
  endUser: null,
  label: null,
  from: null,
  to: null,
};
const START = START_MS / 1000;
const RECORD = {
  queueMs: 3,
  firstOutputMs: 40,
  durationMs: 500,
  attempts: 2,
  providerStatus: 200,
  providerRequestId: "req_provider",
};
const FAILURE = {
  status: "failed",
  error: { code: "provider_error", message: "the provider's words" },
  failure: null,
} as const;

interface Paging {
  readonly direction?: "older" | "newer";
  readonly place?: LogPlace | null;
  readonly limit?: number;
  readonly readsMax?: number;
}

export function testTurnLog(open: OpenStore): void {
  testPages(open);
  testFilters(open);
  testMembers(open);
  testOneTurn(open);
}

/** A page of an organization's turns: their ids, and where to go on. */
async function list(suite: Suite, organizationId: string, filter: Partial<TurnFilter> = {}, paging: Paging = {}) {
  const { direction = "older", place = null, limit = 100, readsMax = 1000 } = paging;
  const { turns, next } = await suite.store.listTurns({
    filter: { organizationId, ...EVERY, ...filter },
    from: place === null ? null : { place, direction },
    limit,
    readsMax,
  });
  return { ids: turns.map(({ id }) => id), next };
}

/** The pages of a filter one after the other, each with its ids. */
async function listAll(suite: Suite, filter: Partial<TurnFilter>, paging: Paging): Promise<string[][]> {
  const pages: string[][] = [];
  for (let place = paging.place ?? null; ; ) {
    const { ids, next } = await list(suite, "org_acme", filter, { ...paging, place });
    pages.push(ids);
    if (next === null) return pages;
    assert.ok(pages.length < 50, "the pages end");
    place = next;
  }
}

function placeOf({ id, createdAt }: { readonly id: string; readonly createdAt: number }): LogPlace {
  return { responseId: id, createdAt };
}

const testPages = describeStore("pages of the log of turns", (suite) => {
  test("every turn is on one page, newest first, those of one second included; newer pages lead back", async () => {
    const made = [];
    for (const second of [0, 1, 1, 1, 2, 5, 5]) {
      made.push(await runTurn(suite.store, { head: { createdAt: START + second } }));
    }
    await runTurn(suite.store, { begin: { caller: OTHER } });
    const newestFirst = made.map(({ id }) => id).toReversed();
    for (const limit of [1, 2, 3, 7, 8]) {
      const pages = await listAll(suite, {}, { limit });
      assert.deepEqual(pages.flat(), newestFirst, `pages of ${limit}`);
      assert.ok(pages.slice(0, -1).every(({ length }) => length === limit));
    }
    const newer = await listAll(suite, {}, { limit: 2, direction: "newer", place: placeOf(made[0]!) });
    assert.deepEqual(newer.toReversed().flat(), newestFirst.slice(0, -1));
    const newest = await list(suite, "org_acme", {}, { direction: "newer", place: placeOf(made.at(-1)!) });
    assert.deepEqual(newest, { ids: [], next: null });
  });

  test("times bound a page: from the first second up to one that is not in it", async () => {
    const all = (await list(suite, "org_acme")).ids;
    const between = async (from: number | null, to: number | null) =>
      (await list(suite, "org_acme", { from: from && START + from, to: to && START + to })).ids;
    assert.deepEqual(await between(1, 5), all.slice(2, 6));
    assert.deepEqual(await between(5, null), all.slice(0, 2));
    assert.deepEqual(await between(null, 1), all.slice(6));
    const place = { createdAt: START + 9, responseId: "resp_of_nobody" };
    const within = { from: START + 1, to: START + 5 };
    assert.deepEqual((await list(suite, "org_acme", within, { place })).ids, all.slice(2, 6));
    const early = { createdAt: START, responseId: "resp_of_nobody" };
    assert.deepEqual(
      (await list(suite, "org_acme", within, { place: early, direction: "newer" })).ids,
      all.slice(2, 6),
    );
  });

  test("a page that has read all that it may ends there; the pages after it find the rest", async () => {
    const all = (await list(suite, "org_acme")).ids;
    const rare = await runTurn(suite.store, { head: { createdAt: START - 1, model: "acme/rare" } });
    const oldest = await runTurn(suite.store, { head: { createdAt: START - 2, model: "acme/rare" } });
    const pages = await listAll(suite, { model: "acme/rare" }, { readsMax: 3 });
    assert.deepEqual(pages, [[], [], [rare.id, oldest.id], []]);
    const newer = await listAll(
      suite,
      { model: "acme/small" },
      { readsMax: 3, direction: "newer", place: { createdAt: 0, responseId: "resp_of_nobody" } },
    );
    assert.deepEqual(newer.toReversed().flat(), all);
    assert.equal(newer[0]?.length, 1);
  });

  test("a place whose turn was withdrawn is still a place", async () => {
    const head = headOf({ createdAt: START + 5 });
    await suite.store.beginTurn(beginOf(head));
    const all = (await list(suite, "org_acme")).ids;
    await suite.store.withdrawTurn({ responseId: head.id });
    assert.equal(all[0], head.id);
    const { ids } = await list(suite, "org_acme", {}, { place: placeOf(head) });
    assert.deepEqual(ids, all.slice(1));
  });
});

const testFilters = describeStore("filters of the log of turns", (suite) => {
  test("each filter finds its turns, and of its own organization only", async () => {
    const conversationId = await makeConversation(suite.store);
    const placement = await placeIn(suite.store, conversationId);
    const plain = await runTurn(suite.store);
    const otherKey = await runTurn(suite.store, { begin: { caller: ACME_OTHER_KEY }, head: { model: "acme/large" } });
    const talking = await runTurn(suite.store, { begin: { placement }, head: { conversationId } });
    const failed = await runTurn(suite.store, { end: FAILURE });
    const cancelled = await runTurn(suite.store, { begin: { caller: ACME_OTHER_KEY }, end: { status: "cancelled" } });
    const running = headOf();
    await suite.store.beginTurn(beginOf(running));
    await runTurn(suite.store, { begin: { caller: OTHER }, end: FAILURE });

    const find = async (filter: Partial<TurnFilter>) => (await list(suite, "org_acme", filter)).ids.toReversed();
    const { keyId } = ACME_OTHER_KEY;
    assert.deepEqual(await find({ keyId }), [otherKey.id, cancelled.id]);
    assert.deepEqual(await find({ model: "acme/large" }), [otherKey.id]);
    assert.deepEqual(await find({ keyId, model: "acme/small" }), [cancelled.id]);
    assert.deepEqual(await find({ status: "completed" }), [plain.id, otherKey.id, talking.id]);
    assert.deepEqual(await find({ status: "failed" }), [failed.id]);
    assert.deepEqual(await find({ status: "in_progress" }), [running.id]);
    assert.deepEqual(await find({ status: "incomplete" }), []);
    assert.deepEqual(await find({ failureCode: "provider_error" }), [failed.id]);
    assert.deepEqual(await find({ failureCode: "run_failed" }), []);
    assert.deepEqual(await find({ failureCode: "provider_error", status: "completed" }), []);
    assert.deepEqual(await find({ keyId, status: "failed" }), []);
    assert.deepEqual(await find({ keyId, status: "cancelled" }), [cancelled.id]);
    assert.deepEqual(await find({ conversationId }), [talking.id]);
    assert.deepEqual(await find({ conversationId, status: "failed" }), []);
    assert.deepEqual(await find({ conversationId: "conv_missing" }), []);
    assert.deepEqual(await find({ keyId: OTHER.keyId }), []);
    const stranger = async (filter: Partial<TurnFilter>) => (await list(suite, "org_other", filter)).ids;
    assert.deepEqual(await stranger({ conversationId }), []);
    assert.deepEqual(await stranger({ keyId }), []);
    assert.equal((await stranger({ status: "failed" })).length, 1);
  });

  test("a listed turn has its key, tokens, charge and times", async () => {
    const { turns } = await suite.store.listTurns({
      filter: { organizationId: "org_acme", ...EVERY, status: "in_progress" },
      from: null,
      limit: 10,
      readsMax: 100,
    });
    const head = headOf({ createdAt: START + 9 });
    await suite.store.beginTurn(beginOf(head));
    await suite.store.settleTurn({ ...settleOf(head.id, [says("q")], endOf([answers("a")])), record: RECORD });
    const [ended] = (
      await suite.store.listTurns({
        filter: { organizationId: "org_acme", ...EVERY },
        from: null,
        limit: 1,
        readsMax: 100,
      })
    ).turns;
    const common = { model: "acme/small", keyId: ACME.keyId, keyName: ACME.keyId, memberId: null, memberEmail: null };
    const expected: LoggedTurn = {
      ...common,
      id: head.id,
      status: "completed",
      conversationId: null,
      endUser: null,
      label: null,
      createdAt: START + 9,
      completedAt: START + 1,
      failureCode: null,
      firstOutputMs: 40,
      durationMs: 500,
      usage: usage(10, 20),
      chargedNano: 0n,
    };
    assert.deepEqual(ended, expected);
    assert.deepEqual(turns[0] && { ...turns[0], id: null }, {
      ...expected,
      id: null,
      status: "in_progress",
      createdAt: START,
      completedAt: null,
      firstOutputMs: null,
      durationMs: null,
      usage: {
        ...usage(0, 0),
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
      chargedNano: null,
    });
  });
});

/** Creates a member of ACME with keys; returns their callers. */
async function addMember(suite: Suite, id: string, keys: readonly string[]) {
  const organizationId = ACME.organizationId;
  await suite.store.addMember({
    by: TESTS,
    id,
    organizationId,
    email: `${id}@acme.test`,
    role: "member",
    createdAt: 1,
  });
  for (const keyId of keys) {
    await suite.store.createKey({
      by: TESTS,
      key: { id: keyId, organizationId, memberId: id, name: keyId, permission: "all", createdAt: 1, revokedAt: null },
      secret: { lookup: `look_${keyId}`, hash: `hash_${keyId}` },
    });
  }
  return keys.map((keyId) => ({ organizationId, keyId }));
}

const testMembers = describeStore("a member's turns in the log", (suite) => {
  test("the turns of all keys of a member are one log, page by page", async () => {
    const mine = await addMember(suite, "mem_a", ["key_a1", "key_a2", "key_a3"]);
    const [theirs] = await addMember(suite, "mem_b", ["key_b"]);
    await addMember(suite, "mem_c", []);
    const made: string[] = [];
    for (let at = 0; at < 12; at++) {
      await runTurn(suite.store, { begin: { caller: theirs! }, head: { createdAt: START + at } });
      const head = { createdAt: START + at, model: at % 4 === 0 ? "acme/rare" : "acme/small" };
      made.push((await runTurn(suite.store, { begin: { caller: mine[at % 3]! }, head })).id);
    }
    for (const [limit, readsMax] of [
      [100, 1000],
      [1, 1000],
      [5, 1000],
      [5, 6],
      [100, 3],
    ] as const) {
      const pages = await listAll(suite, { memberId: "mem_a" }, { limit, readsMax });
      assert.deepEqual(pages.flat(), made.toReversed(), `${limit} of ${readsMax}`);
      const place = { createdAt: 0, responseId: "resp_of_nobody" };
      const newer = await listAll(suite, { memberId: "mem_a" }, { limit, readsMax, direction: "newer", place });
      assert.deepEqual(newer.toReversed().flat(), made.toReversed(), `newer, ${limit} of ${readsMax}`);
    }
    const rare = await listAll(suite, { memberId: "mem_a", model: "acme/rare" }, { readsMax: 3 });
    assert.deepEqual(rare.flat(), [made[8], made[4], made[0]]);
    assert.deepEqual(await listAll(suite, { memberId: "mem_c" }, {}), [[]]);
    assert.deepEqual(await listAll(suite, { memberId: "mem_a", keyId: "key_b" }, {}), [[]]);
    assert.deepEqual(await listAll(suite, { memberId: "mem_a", keyId: "key_a2" }, {}), [
      made.filter((_, at) => at % 3 === 1).toReversed(),
    ]);
    assert.deepEqual((await list(suite, "org_other", { memberId: "mem_a" })).ids, []);
  });

  test("a removed member's turns are found still", async () => {
    const before = (await list(suite, "org_acme", { memberId: "mem_b" })).ids;
    await suite.store.removeMember({ by: TESTS, organizationId: "org_acme", memberId: "mem_b" });
    assert.equal(before.length, 12);
    assert.deepEqual((await list(suite, "org_acme", { memberId: "mem_b" })).ids, before);
  });
});

const testOneTurn = describeStore("one turn in the log", (suite) => {
  const find = (responseId: string, organizationId = ACME.organizationId, memberId: string | null = null) =>
    suite.store.findTurn({ organizationId, memberId, responseId });

  test("a turn has its run's record, notes, prices and hold; no content", async () => {
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
    assert.equal((await suite.store.beginTurn(beginOf(head, { funds: { prices, holdNano: 5000n } }))).kind, "begun");
    const running = await find(head.id);
    assert.deepEqual([running?.status, running?.heldNano, running?.attempts], ["in_progress", 5000n, null]);
    const end = endOf([answers("a")], {
      status: "incomplete",
      incompleteReason: "max_output_tokens",
      toolCallsDropped: 2,
      warnings: [warning],
    });
    await suite.store.settleTurn({ ...settleOf(head.id, [says("q")], end), record: RECORD });
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
        incompleteReason: "max_output_tokens",
        toolCallsDropped: 2,
        warnings: [
          { code: "ignored", param: "input" },
          { code: "truncated", param: "input" },
        ],
        prices: JSON.parse(prices) as unknown,
        heldNano: 5000n,
        deletedAtMs: null,
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

  test("a listed key has the time of its last turn", async () => {
    const [caller] = await addMember(suite, "mem_use", ["key_use"]);
    const lastUse = async () =>
      (await suite.store.listKeys({ organizationId: "org_acme" })).find(({ id }) => id === "key_use")?.lastUsedAt;
    assert.equal(await lastUse(), null);
    for (const second of [7, 9]) {
      await suite.store.beginTurn(beginOf(headOf({ createdAt: START + second }), { caller: caller! }));
      assert.equal(await lastUse(), START + second);
    }
  });

  test("a turn of another organization, of another member's key, or none is not found", async () => {
    const [caller] = await addMember(suite, "mem_one", ["key_one"]);
    const { id } = await runTurn(suite.store, { begin: { caller: caller! } });
    assert.equal((await find(id, "org_acme", "mem_one"))?.memberEmail, "mem_one@acme.test");
    assert.equal(await find(id, "org_acme", "mem_two"), null);
    assert.equal(await find(id, "org_other"), null);
    assert.equal(await find("resp_missing"), null);
  });

  test("a deleted turn stays in the log, and so does its failure when its content is erased", async () => {
    const { id } = await runTurn(suite.store, { end: FAILURE });
    await suite.store.deleteResponse({ caller: ACME, responseId: id });
    assert.equal((await find(id))?.deletedAtMs, START_MS);
    while ((await suite.store.eraseDeleted({ olderThanDays: 0, batch: 100, mayBlockWrites: false })).more);
    const erased = await find(id);
    assert.deepEqual([erased?.status, erased?.failureCode, erased?.warnings], ["failed", "provider_error", []]);
  });
});
