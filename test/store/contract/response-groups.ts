// Contract: the responses of a filter, added up by what they are grouped by.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TURN_GROUPINGS, type TurnGrouping } from "../../../src/contract/manage/turn-groupings.ts";
import type { ResponseFilter, LoggedSums } from "../../../src/ports/store/response-log.ts";
import { TESTS } from "../../support/actor.ts";
import { ACME, ACME_OTHER_KEY, makeConversation, OTHER, placeIn, runResponse, START_MS, usage } from "../fixtures.ts";
import { describeStore } from "./suite.ts";
import { EVERY_TURN } from "./response-log-fixtures.ts";

const FIRST = START_MS / 1000;
const FAILURE = { status: "failed", error: { code: "provider_error", message: "m" }, failure: null } as const;
/** A nano-credit a token. */
const PRICES = JSON.stringify({ input: 1e6, cached_input: 1e6, cache_write: 1e6, output: 1e6, tiers: [] });
const PRICED = { funds: { prices: PRICES, holdNano: 1000n } };

const plain = ({ responses, failed, inputTokens, outputTokens, chargedNano }: LoggedSums) => [
  responses,
  failed,
  inputTokens,
  outputTokens,
  Number(chargedNano),
];

function add(parts: readonly LoggedSums[]): readonly number[] {
  return parts.map(plain).reduce((sums, more) => sums.map((sum, at) => sum + (more[at] ?? 0)), [0, 0, 0, 0, 0]);
}

export const testResponseGroups = describeStore("groups of turns", (suite) => {
  /** Checks that the parts are the total of the filter, whatever the grouping. */
  const group = async (
    by: TurnGrouping,
    filter: Partial<ResponseFilter> = {},
    { limit = 100, readsMax = 1000 } = {},
  ) => {
    const found = await suite.store.groupResponses({
      filter: { organizationId: "org_acme", ...EVERY_TURN, ...filter },
      by,
      limit,
      readsMax,
    });
    assert.deepEqual(add([...found.groups, found.others, found.none]), plain(found.total));
    return found;
  };
  const idsOf = async (...query: Parameters<typeof group>) => (await group(...query)).groups.map(({ id }) => id);

  test("turns are added up by each grouping, those that were charged most first", async () => {
    const { store } = suite;
    const { organizationId } = ACME;
    await store.addCredits({ by: TESTS, transactionId: "t", organizationId, amountNano: 10_000n, createdAt: 1 });
    const conversationId = await makeConversation(store);
    const ada = { endUser: "ada", label: "customer=1" };
    await runResponse(store, { begin: ada, end: FAILURE });
    await runResponse(store, { begin: ada });
    await runResponse(store, { begin: { ...PRICED, endUser: "bob" }, end: { usage: usage(30, 50) } });
    await runResponse(store, {
      begin: { ...PRICED, ...ada, caller: ACME_OTHER_KEY },
      head: { model: "acme/large" },
      end: { usage: usage(10, 20) },
    });
    await runResponse(store, {
      begin: { placement: await placeIn(store, conversationId) },
      head: { conversationId, createdAt: FIRST + 9 },
    });
    await runResponse(store, { begin: { ...ada, caller: OTHER } });

    const byUser = await group("end_user");
    assert.deepEqual(
      byUser.groups.map((each) => [each.id, each.name, ...plain(each)]),
      [
        ["bob", null, 1, 0, 30, 50, 80],
        ["ada", null, 3, 1, 30, 60, 30],
      ],
    );
    assert.deepEqual([plain(byUser.none), byUser.others.groups], [[1, 0, 10, 20, 0], 0]);
    assert.deepEqual([plain(byUser.total), byUser.readFrom], [[5, 1, 70, 130, 110], null]);
    for (const by of TURN_GROUPINGS) assert.deepEqual((await group(by)).total, byUser.total, by);
    assert.deepEqual(await idsOf("label"), ["customer=1"]);
    assert.deepEqual(await idsOf("model"), ["acme/small", "acme/large"]);
    const byKey = await group("key");
    assert.deepEqual(
      byKey.groups.map(({ id, name, responses }) => [id, name, responses]),
      [
        [ACME.keyId, ACME.keyId, 4],
        [ACME_OTHER_KEY.keyId, ACME_OTHER_KEY.keyId, 1],
      ],
    );
    const byConversation = await group("conversation");
    assert.deepEqual([byConversation.groups[0]?.id, byConversation.none.responses], [conversationId, 4]);
    // Every filter of the log applies.
    assert.deepEqual(await idsOf("end_user", { status: "failed" }), ["ada"]);
    assert.deepEqual(await idsOf("model", { endUser: "ada", keyId: ACME.keyId }), ["acme/small"]);
    assert.equal((await group("end_user", { conversationId })).none.responses, 1);
    assert.equal((await group("end_user", { label: "" })).total.responses, 2);
    assert.equal((await group("end_user", { from: FIRST + 1 })).total.responses, 1);
    assert.deepEqual((await group("model", { organizationId: "org_other", keyId: ACME.keyId })).total.responses, 0);
    // A group is what the filter of its name finds.
    assert.deepEqual(plain((await group("model", { endUser: "ada" })).total), [3, 1, 30, 60, 30]);
    assert.deepEqual(plain((await group("model", { endUser: "" })).total), plain(byUser.none));
  });

  test("groups beyond the limit are added up as the others", async () => {
    const { groups, others, total } = await group("end_user", {}, { limit: 1 });
    assert.deepEqual(
      [groups.map(({ id }) => id), others.groups, others.responses, total.responses],
      [["bob"], 1, 3, 5],
    );
    const none = await group("end_user", {}, { limit: 0 });
    assert.deepEqual([none.groups, none.others.groups, plain(none.others)], [[], 2, [4, 1, 60, 110, 110]]);
  });

  test("the newest turns are grouped when there are more than may be read, over all keys of a member", async () => {
    const { store } = suite;
    const { organizationId } = ACME;
    const memberId = "mem_grouped";
    await store.addMember({ by: TESTS, id: memberId, organizationId, email: "g@a.b", role: "member", createdAt: 1 });
    for (const id of ["key_one", "key_two"]) {
      const own = { id, organizationId, memberId, name: `of ${id}`, permission: "all", revokedAt: null } as const;
      await store.createKey({ by: TESTS, key: { ...own, createdAt: 1 }, secret: { lookup: `look_${id}`, hash: id } });
      for (const second of [100, 200, 300]) {
        await runResponse(store, {
          begin: { caller: { organizationId, keyId: id }, endUser: "eve" },
          head: { createdAt: FIRST + second },
        });
      }
    }
    const whole = await group("end_user", { memberId });
    assert.deepEqual(
      whole.groups.map(({ id, responses }) => [id, responses]),
      [["eve", 6]],
    );
    const newest = await group("end_user", { memberId }, { readsMax: 4 });
    assert.deepEqual([newest.total.responses, newest.readFrom], [4, FIRST + 101]);
    const byMember = await group("member");
    assert.deepEqual(
      byMember.groups.map(({ id, name, responses }) => [id, name, responses]),
      [[memberId, "g@a.b", 6]],
    );
    assert.equal(byMember.none.responses, 5);
  });
});
