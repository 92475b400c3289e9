// Contract: the log of turns, by page: places, filters, and the responses of one member.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedResponse, LogPlace, ResponseFilter } from "../../../src/ports/store/response-log.ts";
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
  runResponse,
  says,
  settleOf,
  usage,
} from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";
import { addMember, EVERY_TURN, FAILURE, RECORD, START } from "./response-log-fixtures.ts";

interface Paging {
  readonly direction?: "older" | "newer";
  readonly place?: LogPlace | null;
  readonly limit?: number;
  readonly readsMax?: number;
}

export function testResponseLogPages(open: OpenStore): void {
  testPages(open);
  testFilters(open);
  testMembers(open);
}

/** A page of an organization's responses: their ids, and where to go on. */
async function list(suite: Suite, organizationId: string, filter: Partial<ResponseFilter> = {}, paging: Paging = {}) {
  const { direction = "older", place = null, limit = 100, readsMax = 1000 } = paging;
  const { responses, next } = await suite.store.listResponses({
    filter: { organizationId, ...EVERY_TURN, ...filter },
    from: place === null ? null : { place, direction },
    limit,
    readsMax,
  });
  return { ids: responses.map(({ id }) => id), next };
}

/** The pages of a filter one after the other, each with its ids. */
async function listAll(suite: Suite, filter: Partial<ResponseFilter>, paging: Paging): Promise<string[][]> {
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
  test("every response is on one page, newest first, those of one second included; newer pages lead back", async () => {
    const made = [];
    for (const second of [0, 1, 1, 1, 2, 5, 5]) {
      made.push(await runResponse(suite.store, { head: { createdAt: START + second } }));
    }
    await runResponse(suite.store, { begin: { caller: OTHER } });
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
    const rare = await runResponse(suite.store, { head: { createdAt: START - 1, model: "acme/rare" } });
    const oldest = await runResponse(suite.store, { head: { createdAt: START - 2, model: "acme/rare" } });
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

  test("a place whose response was withdrawn is still a place", async () => {
    const head = headOf({ createdAt: START + 5 });
    await suite.store.beginResponse(beginOf(head));
    const all = (await list(suite, "org_acme")).ids;
    await suite.store.withdrawResponse({ responseId: head.id });
    assert.equal(all[0], head.id);
    const { ids } = await list(suite, "org_acme", {}, { place: placeOf(head) });
    assert.deepEqual(ids, all.slice(1));
  });
});

const testFilters = describeStore("filters of the log of turns", (suite) => {
  test("each filter finds its responses, and of its own organization only", async () => {
    const conversationId = await makeConversation(suite.store);
    const placement = await placeIn(suite.store, conversationId);
    const plain = await runResponse(suite.store);
    const otherKey = await runResponse(suite.store, {
      begin: { caller: ACME_OTHER_KEY },
      head: { model: "acme/large" },
    });
    const talking = await runResponse(suite.store, { begin: { placement }, head: { conversationId } });
    const failed = await runResponse(suite.store, { end: FAILURE });
    const cancelled = await runResponse(suite.store, {
      begin: { caller: ACME_OTHER_KEY },
      end: { status: "cancelled" },
    });
    const running = headOf();
    await suite.store.beginResponse(beginOf(running));
    await runResponse(suite.store, { begin: { caller: OTHER }, end: FAILURE });

    const find = async (filter: Partial<ResponseFilter>) => (await list(suite, "org_acme", filter)).ids.toReversed();
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
    const stranger = async (filter: Partial<ResponseFilter>) => (await list(suite, "org_other", filter)).ids;
    assert.deepEqual(await stranger({ conversationId }), []);
    assert.deepEqual(await stranger({ keyId }), []);
    assert.equal((await stranger({ status: "failed" })).length, 1);
  });

  test("a listed response has its key, tokens, charge and times", async () => {
    const { responses } = await suite.store.listResponses({
      filter: { organizationId: "org_acme", ...EVERY_TURN, status: "in_progress" },
      from: null,
      limit: 10,
      readsMax: 100,
    });
    const head = headOf({ createdAt: START + 9 });
    await suite.store.beginResponse(beginOf(head));
    await suite.store.settleResponse({ ...settleOf(head.id, [says("q")], endOf([answers("a")])), record: RECORD });
    const [ended] = (
      await suite.store.listResponses({
        filter: { organizationId: "org_acme", ...EVERY_TURN },
        from: null,
        limit: 1,
        readsMax: 100,
      })
    ).responses;
    const common = { model: "acme/small", keyId: ACME.keyId, keyName: ACME.keyId, memberId: null, memberEmail: null };
    const expected: LoggedResponse = {
      ...common,
      id: head.id,
      status: "completed",
      conversationId: null,
      requestId: `req_of_${head.id}`,
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
    assert.deepEqual(responses[0] && { ...responses[0], id: null, requestId: null }, {
      ...expected,
      id: null,
      requestId: null,
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

const testMembers = describeStore("a member's turns in the log", (suite) => {
  test("the responses of all keys of a member are one log, page by page", async () => {
    const mine = await addMember(suite, "mem_a", ["key_a1", "key_a2", "key_a3"]);
    const [theirs] = await addMember(suite, "mem_b", ["key_b"]);
    await addMember(suite, "mem_c", []);
    const made: string[] = [];
    for (let at = 0; at < 12; at++) {
      await runResponse(suite.store, { begin: { caller: theirs! }, head: { createdAt: START + at } });
      const head = { createdAt: START + at, model: at % 4 === 0 ? "acme/rare" : "acme/small" };
      made.push((await runResponse(suite.store, { begin: { caller: mine[at % 3]! }, head })).id);
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

  test("a removed member's responses are found still", async () => {
    const before = (await list(suite, "org_acme", { memberId: "mem_b" })).ids;
    await suite.store.removeMember({ by: TESTS, organizationId: "org_acme", memberId: "mem_b" });
    assert.equal(before.length, 12);
    assert.deepEqual((await list(suite, "org_acme", { memberId: "mem_b" })).ids, before);
  });
});
